package org.stillwater.vdsm.client;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.vdsm.jsonrpc.Envelope;
import org.stillwater.vdsm.jsonrpc.Json;
import org.stillwater.vdsm.jsonrpc.MalformedEnvelope;
import org.stillwater.vdsm.stomp.FrameBody;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;

/**
 * Reads the statistics of one host: the {@link StatisticsPattern} of its last answer skips the
 * ignored part, the {@link HostDecoder} reads the rest. The result equals the decoder's own: a test
 * compares the two over mutated answers. Thread-safe.
 */
final class StatisticsReader {

    /**
     * Longest pause, in answers, between two attempts to learn a host with deviating answers; each
     * failure doubles the pause.
     */
    private static final int LONGEST_PAUSE = 64;

    private final HostDecoder decoder;

    // Guarded by this.
    private final int[] edges = new int[2 * StatisticsPattern.MOST_CUTS];
    private @Nullable StatisticsPattern pattern;
    private Set<String> interfaces = Set.of();
    private boolean confirmed;
    private int pause;
    private int nextPause = 1;
    private int shortened;

    StatisticsReader(HostDecoder decoder) {
        this.decoder = decoder;
    }

    /** Number of answers that were not parsed to their end. */
    synchronized int shortened() {
        return shortened;
    }

    /**
     * Reads an answer to its end.
     *
     * @throws MalformedEnvelope when it is not JSON to its end, or not an object
     */
    synchronized HostStatistics read(Envelope envelope, FrameBody message)
            throws MalformedEnvelope {
        byte[] body = message.array();
        int length = (int) message.length();
        int from = (int) envelope.payloadOffset();
        if (body == null || from < 1 || !isUtf8Object(body, from, length)) {
            return decode(envelope);
        }
        StatisticsPattern expected = pattern;
        Set<String> now = decoder.interfaces();
        int end =
                expected == null || !interfaces.equals(now)
                        ? StatisticsPattern.SURPRISE
                        : expected.match(body, from, length, edges);
        if (expected != null && end != StatisticsPattern.SURPRISE && isEnd(body, end, length)) {
            confirmed = true;
            shortened++;
            try (JsonParser parser =
                    Json.FACTORY.createParser(
                            ObjectReadContext.empty(), expected.kept(body, from, end, edges))) {
                parser.nextToken();
                return decoder.statistics(parser);
            }
        }
        HostStatistics statistics = decode(envelope);
        learn(body, from, length, now);
        return statistics;
    }

    private HostStatistics decode(Envelope envelope) throws MalformedEnvelope {
        HostStatistics statistics = decoder.statistics(envelope.payload());
        envelope.finish();
        return statistics;
    }

    private void learn(byte[] body, int from, int length, Set<String> now) {
        if (!interfaces.equals(now)) {
            interfaces = now;
            nextPause = 1;
            pause = 0;
        } else if (pattern != null) {
            rest(confirmed);
        }
        pattern = null;
        confirmed = false;
        if (pause > 0) {
            pause--;
            return;
        }
        pattern = StatisticsPattern.find(body, from, length, decoder::isInterface);
        if (pattern == null) {
            rest(false);
        }
    }

    private void rest(boolean useful) {
        nextPause = useful ? 1 : Math.min(nextPause * 2, LONGEST_PAUSE);
        pause = nextPause - 1;
    }

    /** Another encoding would have an octet of nought beside the bracket. */
    private static boolean isUtf8Object(byte[] body, int from, int length) {
        return from + 1 < length && body[from] == '{' && body[from - 1] != 0 && body[from + 1] != 0;
    }

    /** Whether only the end of the message follows. */
    private static boolean isEnd(byte[] body, int from, int length) {
        int at = blanks(body, from, length);
        return at < length && body[at] == '}' && blanks(body, at + 1, length) == length;
    }

    private static int blanks(byte[] body, int from, int length) {
        int at = from;
        while (at < length
                && (body[at] == ' ' || body[at] == '\n' || body[at] == '\t' || body[at] == '\r')) {
            at++;
        }
        return at;
    }
}
