// A game as it was played: its rules, the board that it began from, its moves; and as a link.

export class Record {
  /** `game`: fields of the game; `diagram`: the board at the beginning, null where that is the game's own. */
  constructor(game, diagram = null, moves = []) {
    this.game = game;
    this.diagram = diagram;
    this.moves = moves;
  }

  /** The fields of a request for the position after `ply` moves. */
  fields(ply = this.moves.length) {
    const found = { game: this.game, moves: this.moves.slice(0, ply) };
    return this.diagram === null ? found : { ...found, diagram: this.diagram };
  }

  /** A text that is the same for the same position with the same moves before. */
  key(ply = this.moves.length) {
    return JSON.stringify([this.game, this.diagram, this.moves.slice(0, ply)]);
  }

  /** The record with one more move after the first `ply`. */
  then(ply, name) {
    return new Record(this.game, this.diagram, [...this.moves.slice(0, ply), name]);
  }

  /** The record up to `ply`. */
  cut(ply) {
    return new Record(this.game, this.diagram, this.moves.slice(0, ply));
  }

  /** What stands behind the # of a link. */
  toHash() {
    const { name, ...numbers } = this.game;
    const parts = [["game", name], ...Object.entries(numbers)].map(([key, value]) => [key, encodeURIComponent(value)]);
    if (this.diagram !== null) {
      const rows = this.diagram.split("\n").map((row) => row.replace(/\s/g, ""));
      parts.push(["board", rows.join("/")]);
    }
    if (this.moves.length) parts.push(["moves", this.moves.map(encodeURIComponent).join(",")]);
    return parts.map((part) => part.join("=")).join("&");
  }

  /** The record of a link, null where it has none. */
  static fromHash(hash) {
    const found = { game: {}, diagram: null, moves: [] };
    try {
      for (const part of hash.replace(/^#/, "").split("&")) {
        const [key, value = ""] = part.split("=");
        if (key === "moves") found.moves = value ? value.split(",").map(decodeURIComponent) : [];
        else if (key === "board") found.diagram = decodeURIComponent(value).split("/").join("\n");
        else if (key === "game") found.game.name = decodeURIComponent(value);
        else if (key) found.game[key] = /^\d{1,6}$/.test(value) ? Number(value) : decodeURIComponent(value);
      }
    } catch {
      return null;  // half a %-escape
    }
    return found.game.name === undefined ? null : new Record(found.game, found.diagram, found.moves);
  }
}
