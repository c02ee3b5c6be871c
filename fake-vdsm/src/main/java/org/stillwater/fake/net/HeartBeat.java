package org.stillwater.fake.net;

import org.jspecify.annotations.Nullable;

/**
 * The agreed heart-beats of two ends (§1.4.7), in milliseconds; 0 is none.
 *
 * @param outgoing the host is never silent for longer
 * @param incoming the client promised not to be silent for longer
 */
record HeartBeat(long outgoing, long incoming) {

    static final HeartBeat NONE = new HeartBeat(0, 0);

    private static final long SHORTEST = 1000;

    /** Reads the header of CONNECT as VDSM does: an unreadable value counts as 0. */
    static HeartBeat requested(@Nullable String header) {
        if (header == null) {
            return NONE;
        }
        int comma = header.indexOf(',');
        if (comma < 0 || header.indexOf(',', comma + 1) >= 0) {
            return NONE;
        }
        return new HeartBeat(
                millis(header.substring(comma + 1)), millis(header.substring(0, comma)));
    }

    /** The header of CONNECTED. */
    String header() {
        return outgoing + "," + incoming;
    }

    private static long millis(String text) {
        try {
            int value = Integer.parseInt(text.strip());
            return value == 0 ? 0 : Math.max(SHORTEST, value);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
