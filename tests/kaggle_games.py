"""Plays connectx in the real kaggle_environments, with an agent that is a file, as a submission is: a program.

Standard input: JSON with the path of the agent, the opponent, games, configuration, and overage (seconds of the bank).
Standard output, last line: JSON with a list of games and where mcts_core was loaded from. Of a game: the seat of the
agent (by turns), its status and reward and the opponent's status, the longest of its moves in seconds, what it wrote to
standard error, and what is left of its bank.
"""

import json
import sys


def refuse_network(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto"):
        raise OSError(f"no network: {event} {arguments}")


def main():
    import kaggle_environments
    from kaggle_environments.core import environments

    sys.addaudithook(refuse_network)
    task = json.load(sys.stdin)
    # No argument tells it. The first environment makes a schema of it, which then holds for all.
    specification = environments["connectx"]["specification"]
    specification["observation"]["remainingOverageTime"] = task["overage"]
    games = []
    for number in range(task["games"]):
        env = kaggle_environments.make("connectx", configuration=task["configuration"])
        seat = number % 2
        env.run([task["opponent"], task["agent"]] if seat else [task["agent"], task["opponent"]])
        end = env.steps[-1][seat]
        moves = [log[seat] for log in env.logs if len(log) == 2 and log[seat]]
        games.append({
            "seat": seat,
            "status": end.status,
            "reward": end.reward,
            "opponent": env.steps[-1][1 - seat].status,
            "longest": max((move["duration"] for move in moves), default=0.0),
            "errors": "".join(move["stderr"] for move in moves),
            "bank": end.observation.remainingOverageTime,
        })
    print(json.dumps({"games": games, "package": sys.modules["mcts_core"].__file__}))


if __name__ == "__main__":
    main()
