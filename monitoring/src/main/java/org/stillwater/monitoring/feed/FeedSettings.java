package org.stillwater.monitoring.feed;

/**
 * Limits of the change feed.
 *
 * @param kept how many of the newest changes are kept for resuming and for slow subscribers
 * @param batch most changes handed to a subscriber at once
 */
public record FeedSettings(int kept, int batch) {

    /** 16 384 changes, 512 at once. */
    public static final FeedSettings DEFAULT = new FeedSettings(16_384, 512);

    public FeedSettings {
        if (kept < 1 || batch < 1) {
            throw new IllegalArgumentException("the feed keeps and hands over at least one change");
        }
    }
}
