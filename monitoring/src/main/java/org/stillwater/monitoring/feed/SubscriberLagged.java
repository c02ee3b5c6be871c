package org.stillwater.monitoring.feed;

/**
 * A subscriber read so slowly that changes it has not seen are no longer kept; it must start again
 * from a snapshot.
 */
public final class SubscriberLagged extends Exception {

    SubscriberLagged(long wanted, long oldest) {
        super(
                "the subscriber fell behind: revision "
                        + wanted
                        + " was next, the oldest one kept is "
                        + oldest);
    }
}
