package org.stillwater.ovirt.search;

/**
 * Limits of a query. A query beyond them counts as malformed text: it finds no entity.
 *
 * @param maxCharacters the longest text
 * @param maxTerms the most terms, however they are joined
 * @param defaultPageSize how many entities {@code page n} skips and answers without {@code max}
 */
public record SearchLimits(int maxCharacters, int maxTerms, int defaultPageSize) {

    /** Limits that suit users and programs; a list of a hundred names still fits. */
    public static final SearchLimits USUAL = new SearchLimits(8_192, 256, 100);

    public SearchLimits {
        if (maxCharacters < 1 || maxTerms < 1 || defaultPageSize < 1) {
            throw new IllegalArgumentException("limits of a search begin at 1");
        }
    }
}
