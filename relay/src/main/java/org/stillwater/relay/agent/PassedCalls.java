package org.stillwater.relay.agent;

import java.util.List;
import java.util.function.Consumer;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.trust.CertificateFingerprint;
import org.stillwater.relay.v1.Call;
import org.stillwater.relay.v1.CallResult;
import org.stillwater.relay.wire.CallCodec;
import org.stillwater.vdsm.client.CallPassage.Outcome;
import org.stillwater.vdsm.client.CallPassage.PassedCall;

/**
 * Passes calls of the engine on to the relay's hosts, and their answers back. No call waits here:
 * it is written to the host's connection at once, or refused. Used on the loop.
 */
final class PassedCalls implements EngineStream.CallTaker {

    /** Calls under way for all hosts together, as a multiple of those for one. */
    private static final int BUSY_HOSTS = 8;

    private final List<HostWatch> hosts;
    private final RelaySettings.Bounds bounds;
    private final Loop loop;
    private final int[] ofHost;
    private int underWay;

    /**
     * No call is under way.
     *
     * @param hosts in the order of the stream's offers
     */
    PassedCalls(List<HostWatch> hosts, RelaySettings.Bounds bounds, Loop loop) {
        this.hosts = List.copyOf(hosts);
        this.bounds = bounds;
        this.loop = loop;
        this.ofHost = new int[hosts.size()];
    }

    @Override
    public int most() {
        return bounds.calls();
    }

    @Override
    public int mostBytes() {
        return bounds.callBytes();
    }

    @Override
    public void take(Call call, Consumer<CallResult> results) {
        long id = call.getId();
        int host = call.getHost();
        if (host < 0 || host >= ofHost.length) {
            results.accept(CallCodec.unusable(id, "a call to no host that was offered"));
            return;
        }
        PassedCall passed;
        CertificateFingerprint certificate;
        try {
            passed = CallCodec.read(call, mostBytes());
            certificate = CallCodec.certificate(call);
        } catch (IllegalArgumentException malformed) {
            results.accept(CallCodec.unusable(id, String.valueOf(malformed.getMessage())));
            return;
        }
        if (ofHost[host] >= most() || underWay >= BUSY_HOSTS * most()) {
            results.accept(
                    CallCodec.notSent(
                            id, new HostFailure.Overloaded("too many calls are under way")));
            return;
        }
        ofHost[host]++;
        underWay++;
        hosts.get(host).pass(passed, certificate, new Ending(id, host, results));
    }

    /** Calls under way. */
    int underWay() {
        return underWay;
    }

    /** Returns the outcome of one call, on the loop. */
    private final class Ending implements Outcome {
        private final long id;
        private final int host;
        private final Consumer<CallResult> results;

        Ending(long id, int host, Consumer<CallResult> results) {
            this.id = id;
            this.host = host;
            this.results = results;
        }

        @Override
        public void answered(byte[] answer) {
            end(CallCodec.answered(id, answer));
        }

        @Override
        public void failed(HostFailure failure) {
            end(CallCodec.failed(id, failure));
        }

        @Override
        public void notSent(HostFailure failure) {
            end(CallCodec.notSent(id, failure));
        }

        private void end(CallResult result) {
            loop.execute(() -> {
                ofHost[host]--;
                underWay--;
                results.accept(result);
            });
        }
    }
}
