// A game as it was played: its rules, the board that it began from, its moves and their variations; and as a link.

const startsWith = (line, head) => head.every((name, index) => line[index] === name);

export class Record {
  /** `game`: fields of the game; `diagram`: the board at the beginning, null where that is the game's own. `lines` are
      the game and its variations, each from the beginning; `moves` are those of the line `at`. */
  constructor(game, diagram = null, moves = [], lines = [moves], at = 0) {
    this.game = game;
    this.diagram = diagram;
    this.lines = lines;
    this.at = at;
    this.moves = lines[at];
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

  /** The record that shows another line. */
  select(at) {
    return new Record(this.game, this.diagram, [], this.lines, at);
  }

  /** The record whose line has one more move after the first `ply`. */
  then(ply, name) {
    return this.change([...this.moves.slice(0, ply), name]);
  }

  /** The record whose line ends at `ply`. */
  cut(ply) {
    return this.change(this.moves.slice(0, ply));
  }

  /** The record with a move that is tried after the first `ply`: in the line that has it, at the end of this one, or as
      a variation. `free`: the game itself, line 0, may grow, too. */
  branch(ply, name, free) {
    const moves = [...this.moves.slice(0, ply), name];
    const at = this.lines.findIndex((line) => startsWith(line, moves));
    if (at >= 0) return this.select(at);
    if (ply === this.moves.length && (free || this.at > 0)) return this.change(moves);
    return new Record(this.game, this.diagram, [], [...this.lines, moves], this.lines.length);
  }

  /** The record without a variation and what branches off it alone. */
  without(index) {
    const { ply } = this.departure(index);
    const head = this.lines[index].slice(0, ply + 1);
    const kept = this.lines.filter((line, each) => each < index || !startsWith(line, head));
    return new Record(this.game, this.diagram, [], kept, kept.indexOf(this.moves) >= 0 ? kept.indexOf(this.moves) : 0);
  }

  /** From which line before it, and after how many moves, a variation branches off. */
  departure(index) {
    const common = (line) => {
      const end = this.lines[index].findIndex((name, ply) => line[ply] !== name);
      return end < 0 ? this.lines[index].length : end;
    };
    return this.lines.slice(0, index).map((line, parent) => ({ parent, ply: common(line) }))
      .reduce((best, each) => (each.ply > best.ply ? each : best), { parent: 0, ply: 0 });
  }

  /** The record with other moves in its line; a variation that is a part of another line goes. */
  change(moves) {
    const lines = this.lines.map((line, index) => (index === this.at ? moves : line));
    const whole = this.at > 0 ? lines.findIndex((line, index) => index !== this.at && startsWith(line, moves)) : -1;
    if (whole < 0) return new Record(this.game, this.diagram, [], lines, this.at);
    lines.splice(this.at, 1);
    return new Record(this.game, this.diagram, [], lines, whole > this.at ? whole - 1 : whole);
  }

  /** What stands behind the # of a link; `ply`: the move to show, where that is not the last one. */
  toHash(ply = this.moves.length) {
    const { name, ...numbers } = this.game;
    const parts = [["game", name], ...Object.entries(numbers)].map(([key, value]) => [key, encodeURIComponent(value)]);
    const written = (moves) => moves.map(encodeURIComponent).join(",");
    if (this.diagram !== null) {
      const rows = this.diagram.split("\n").map((row) => row.replace(/\s/g, ""));
      parts.push(["board", rows.join("/")]);
    }
    if (this.lines[0].length) parts.push(["moves", written(this.lines[0])]);
    this.lines.slice(1).forEach((moves, index) => {
      const from = this.departure(index + 1);
      parts.push(["line", `${from.parent}.${from.ply}:${written(moves.slice(from.ply))}`]);
    });
    if (this.at > 0 || ply < this.moves.length) parts.push(["at", `${this.at}.${ply}`]);
    return parts.map((part) => part.join("=")).join("&");
  }

  /** The record of a link, and as `shown` the move to show; null where the link has none or is damaged. */
  static fromHash(hash) {
    const found = { game: {}, diagram: null, lines: [[]], at: "" };
    const read = (value) => (value ? value.split(",").map(decodeURIComponent) : []);
    try {
      for (const part of hash.replace(/^#/, "").split("&")) {
        const [key, value = ""] = part.split("=");
        if (key === "moves") found.lines[0] = read(value);
        else if (key === "line") {
          const [, parent, ply, moves] = /^(\d+)\.(\d+):(.+)$/.exec(value);
          found.lines.push([...found.lines[parent].slice(0, ply), ...read(moves)]);
        } else if (key === "at") found.at = value;
        else if (key === "board") found.diagram = decodeURIComponent(value).split("/").join("\n");
        else if (key === "game") found.game.name = decodeURIComponent(value);
        else if (key) found.game[key] = /^\d{1,6}$/.test(value) ? Number(value) : decodeURIComponent(value);
      }
    } catch {
      return null;  // half a %-escape, or half a variation
    }
    if (found.game.name === undefined) return null;
    const [at, ply] = found.at.split(".").map(Number);
    const record = new Record(found.game, found.diagram, [], found.lines, found.lines[at] ? at : 0);
    record.shown = found.lines[at] && ply <= record.moves.length ? ply : record.moves.length;
    return record;
  }
}
