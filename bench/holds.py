"""Does a player who begins Connect Four keep the win of the empty board against perfect replies?"""

from collections import Counter

import players
from figures import wilson


def play(number, game, settings, seed):
    """One game, up to A's win or A's first move that gives the win away; ``lost_at`` is the ply of that, from 1."""
    a, b = (setting.player(game, players.seed_of(seed, number, side)) for side, setting in enumerate(settings))
    state, moves, longest = game.start(), [], 0.0
    while state.winner() is None:
        if state.to_move == 1:
            scores = b.scores(state)
            move, seconds = players.clocked(a, state)
            longest = max(longest, seconds)
            if scores[move] <= 0:
                return {"number": number, "held": False, "moves": [*moves, move], "lost_at": len(moves) + 1,
                        "scores": scores, "proven": a.proven, "longest": round(longest, 4)}
        else:
            move = b.move(state)
        state = state.play(move)
        moves.append(move)
    if state.winner() != 1:
        raise players.Failed(f"the scores of {settings[1]} are wrong: A kept the win and did not get it, moves {moves}")
    return {"number": number, "held": True, "moves": moves, "lost_at": None, "longest": round(longest, 4)}


def summary(found):
    """As JSON data."""
    held = sum(one["held"] for one in found)
    low, high = wilson(held, len(found))
    plies = Counter(one["lost_at"] for one in found if not one["held"])
    return {"games": len(found), "held": held, "share": held / len(found), "low": low, "high": high,
            "lost_at": {str(ply): plies[ply] for ply in sorted(plies)}}


def short(found):
    """The running score."""
    return f"held {sum(one['held'] for one in found)} of {len(found)}" if found else ""


def text(found):
    """What is printed: the share, and each place where the win was given away, the early ones first."""
    told = summary(found)
    lines = [f"held {told['held']} of {told['games']}: {100 * told['share']:.1f} % ({100 * told['low']:.1f} to "
             f"{100 * told['high']:.1f}); longest move {max(one['longest'] for one in found):.2f} s"]
    places = Counter((one["lost_at"], columns(one["moves"]), " ".join("." if score is None else f"{score}"
                                                                       for score in one["scores"]))
                     for one in found if not one["held"])
    lines += [f"lost at ply {ply}: {played[:-1]} {played[-1]}   scores there {scores}   {count} times"
              for (ply, played, scores), count in sorted(places.items())]
    return "\n".join(lines)


def columns(moves):
    """Moves as columns from 1."""
    return "".join(str(move + 1) for move in moves)
