package org.stillwater.server.meter;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.stillwater.core.id.HostId;
import org.stillwater.vdsm.client.WireMeter;

/** Counts the traffic of all wires together; a host is never a tag here. Thread-safe. */
public final class WireMeters implements WireMeter {

    private final Counter receivedBytes;
    private final Counter frames;
    private final Counter malformed;
    private final Counter misfits;
    private final Counter predicted;
    private final Counter decoded;
    private final Counter unmatched;
    private final Counter errorFrames;
    private final Counter connected;
    private final Counter attemptsFailed;
    private final Counter lost;
    private final Counter timedOut;

    /** Registers the meters. */
    public WireMeters(MeterRegistry meters) {
        receivedBytes =
                Counter.builder("stillwater.wire.received")
                        .baseUnit("bytes")
                        .description("Bytes from hosts, after TLS")
                        .register(meters);
        frames = counter(meters, "stillwater.wire.frames", "Complete messages from hosts");
        malformed =
                counter(
                        meters,
                        "stillwater.wire.malformed",
                        "Messages from hosts that could not be understood");
        misfits =
                counter(
                        meters,
                        "stillwater.wire.misfits",
                        "Values of an unexpected type in hosts' reports about themselves; each"
                                + " counts as not reported");
        predicted = records(meters, "predicted");
        decoded = records(meters, "decoded");
        unmatched =
                counter(
                        meters,
                        "stillwater.wire.unmatched",
                        "Answers without a waiting call: late, repeated, or of another call");
        errorFrames =
                counter(meters, "stillwater.wire.errors", "ERROR frames that hosts have sent");
        connected = counter(meters, "stillwater.wire.connected", "Connections that came to stand");
        attemptsFailed =
                counter(
                        meters,
                        "stillwater.wire.attempts.failed",
                        "Attempts to connect that failed");
        lost = counter(meters, "stillwater.wire.lost", "Connections that were lost");
        timedOut =
                counter(
                        meters,
                        "stillwater.wire.timed.out",
                        "Calls that hosts did not answer in time");
    }

    private static Counter records(MeterRegistry meters, String way) {
        return Counter.builder("stillwater.wire.records")
                .tag("read", way)
                .description(
                        "Records of VMs in polls: predicted from the last poll, or decoded because"
                                + " more than numbers differed")
                .register(meters);
    }

    private static Counter counter(MeterRegistry meters, String name, String description) {
        return Counter.builder(name).description(description).register(meters);
    }

    @Override
    public void received(HostId host, int bytes) {
        receivedBytes.increment(bytes);
    }

    @Override
    public void frame(HostId host) {
        frames.increment();
    }

    @Override
    public void malformed(HostId host) {
        malformed.increment();
    }

    @Override
    public void misfits(HostId host, int values) {
        misfits.increment(values);
    }

    @Override
    public void records(HostId host, int predictedRecords, int decodedRecords) {
        predicted.increment(predictedRecords);
        decoded.increment(decodedRecords);
    }

    @Override
    public void unmatchedAnswer(HostId host) {
        unmatched.increment();
    }

    @Override
    public void errorFrame(HostId host) {
        errorFrames.increment();
    }

    @Override
    public void connected(HostId host) {
        connected.increment();
    }

    @Override
    public void attemptFailed(HostId host) {
        attemptsFailed.increment();
    }

    @Override
    public void lost(HostId host) {
        lost.increment();
    }

    @Override
    public void timedOut(HostId host) {
        timedOut.increment();
    }
}
