package org.stillwater.benchmarks.micro;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.stillwater.vdsm.stomp.MalformedFrame;
import org.stillwater.vdsm.stomp.SegmentPool;
import org.stillwater.vdsm.stomp.StompDecoder;
import org.stillwater.vdsm.stomp.StompEncoder;
import org.stillwater.vdsm.stomp.StompFrame;
import org.stillwater.vdsm.stomp.StompHeaders;
import org.stillwater.vdsm.stomp.StompLimits;

/** Collecting one large answer from the pieces in which TLS hands it over. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(2)
public class FramingBenchmark {

    /** Plaintext of one TLS record (RFC 8446, section 5.1). */
    private static final int PIECE_BYTES = 16 * 1024;

    /** VMs in the answer, 3.3 KB each. */
    @Param({"100", "6000"})
    private int vms;

    private final SegmentPool pool = new SegmentPool(SegmentPool.DEFAULT_SEGMENT_BYTES, 32L << 20);
    private final StompDecoder decoder = new StompDecoder(StompLimits.DEFAULT, pool);
    private byte[] wire = new byte[0];

    /** Makes the answer. */
    @Setup
    public void encode() {
        byte[] body = new byte[vms * 3_300];
        Arrays.fill(body, (byte) 'x');
        byte[] head =
                StompEncoder.encodeHead(
                        "MESSAGE", StompHeaders.of("destination", "jms.queue.reply"), body.length);
        wire = Arrays.copyOf(head, head.length + body.length + 1);
        System.arraycopy(body, 0, wire, head.length, body.length);
        wire[wire.length - 1] = StompEncoder.NUL;
    }

    /** Decodes the answer and gives its buffers back. */
    @Benchmark
    public long collect() throws MalformedFrame {
        for (int at = 0; at < wire.length; at += PIECE_BYTES) {
            ByteBuffer piece = ByteBuffer.wrap(wire, at, Math.min(PIECE_BYTES, wire.length - at));
            StompFrame frame = decoder.decode(piece);
            if (frame != null) {
                try (frame) {
                    return frame.body().length();
                }
            }
        }
        throw new IllegalStateException("the frame did not end");
    }
}
