package org.stillwater.ovirt.resource;

/**
 * Limits of one request; a request beyond a limit is refused with status 400.
 *
 * @param mostEntities entities that an answer may contain: items of a list times one plus the
 *     followed entities of each
 * @param deepestFollow longest path of {@code follow}, in steps
 * @param mostFollowed steps of all paths together
 * @param longestQuery characters of the query and matrix parameters together
 * @param deepestPath segments of a path
 */
public record Limits(
        int mostEntities, int deepestFollow, int mostFollowed, int longestQuery, int deepestPath) {

    /** Enough for every client that is known. */
    public static final Limits USUAL = new Limits(1_000_000, 4, 24, 16_384, 16);
}
