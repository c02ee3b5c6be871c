// How much work fits into a time, on any machine.

const FIRST = 8; // pieces before anything is known

/** How many pieces of work fit into a time, by the time that the last ones took. */
export class Pace {
  private now = FIRST;

  /**
   * @param millis the time for some pieces and all work that they cause
   * @param least pieces, however long they take
   */
  constructor(private readonly millis: number, private readonly least: number) {}

  /** How many pieces may be done. */
  get most(): number {
    return Math.max(this.least, Math.floor(this.now));
  }

  /** Takes the time of some pieces. It is half believed: a machine that does something else in between is slow for once. */
  took(pieces: number, millis: number): void {
    const fit = (pieces * this.millis) / Math.max(millis, this.millis / 100);
    if (pieces < this.most && fit > this.now) return; // so few have not shown that more fit
    this.now = Math.min(Math.max(this.least, (this.now + fit) / 2), 2 * this.now);
  }
}
