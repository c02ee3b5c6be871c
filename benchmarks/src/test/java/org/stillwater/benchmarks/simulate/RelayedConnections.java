package org.stillwater.benchmarks.simulate;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostConnector;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.HostId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReports;
import org.stillwater.relay.state.Deadband;
import org.stillwater.relay.state.Delta;
import org.stillwater.relay.state.HostLedger;
import org.stillwater.relay.state.HostMirror;
import org.stillwater.relay.vm.HostCells;
import org.stillwater.relay.vm.MirroredReports;
import org.stillwater.relay.vm.ReportLedger;

/**
 * Connections whose polls go through the state of a relay and back, most of them: the answer of the
 * host becomes cells, a delta, a mirror and a report again. Deltas are lost, doubled and demanded
 * again, relays start anew. What is chosen follows from a seed of its own.
 */
final class RelayedConnections implements HostConnector {

    /** Events over all histories of a test. */
    static final class Counts {
        long relayed;
        long direct;
        long lost;
        long restarts;
    }

    private final HostConnector hosts;
    private final SplittableRandom random;
    private final Counts counts;
    private final Map<HostId, Relayed> relays = new HashMap<>();

    RelayedConnections(HostConnector hosts, long seed, Counts counts) {
        this.hosts = hosts;
        this.random = new SplittableRandom(seed ^ 0x72656c6179L);
        this.counts = counts;
    }

    @Override
    public HostConnection open(HostDefinition host, HostListener listener) {
        Relayed relay = relays.computeIfAbsent(host.id(), _ -> new Relayed());
        relay.vms.connectionChanged();
        HostConnection connection =
                hosts.open(
                        host,
                        proxy(
                                HostListener.class,
                                (_, method, arguments) -> {
                                    relay.hears(method.getName(), arguments);
                                    return invoke(method, listener, arguments);
                                }));
        return proxy(
                HostConnection.class,
                (_, method, arguments) -> {
                    if (method.getName().equals("vmStatistics")) {
                        @SuppressWarnings("unchecked") // the method's only parameter
                        Consumer<HostAnswer<VmReports>> receiver =
                                (Consumer<HostAnswer<VmReports>>) arguments[0];
                        relay.poll(connection, receiver);
                        return null;
                    }
                    return invoke(method, connection, arguments);
                });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static @Nullable Object invoke(
            Method method, Object target, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** The relay's and the engine's state of one host. */
    private final class Relayed {
        private HostLedger ledger = new HostLedger(1, Deadband.NONE, 5);
        private ReportLedger vms = new ReportLedger(ledger, _ -> {});
        private final HostMirror mirror = new HostMirror(1_000_000);
        private long told;
        private long polls;

        Relayed() {
            mirror.bind(ledger.epoch());
        }

        void hears(String what, Object @Nullable [] arguments) {
            switch (what) {
                case "connected", "disconnected" -> vms.connectionChanged();
                case "vmsChanged" -> {
                    if (arguments != null && arguments[0] instanceof VmReports reports) {
                        try {
                            vms.event(reports);
                        } catch (MalformedReport _) {
                            // values read count; the next poll has the rest
                        }
                        ledger.commit();
                        send();
                    }
                }
                default -> {}
            }
        }

        void poll(HostConnection connection, Consumer<HostAnswer<VmReports>> receiver) {
            if (random.nextInt(40) == 0) {
                restart();
            }
            if (random.nextInt(5) == 0) {
                counts.direct++;
                connection.vmStatistics(receiver);
                return;
            }
            ReportLedger.Asked asked = vms.asked();
            connection.vmStatistics(answer -> receiver.accept(relayed(answer, asked)));
        }

        private void restart() {
            counts.restarts++;
            ledger = new HostLedger(ledger.epoch() + 1, Deadband.NONE, 5);
            vms = new ReportLedger(ledger, _ -> {});
            vms.connectionChanged();
            mirror.bind(ledger.epoch());
            told = 0;
        }

        private HostAnswer<VmReports> relayed(
                HostAnswer<VmReports> answer, ReportLedger.Asked asked) {
            if (!(answer instanceof HostAnswer.Success<VmReports>(VmReports reports))
                    || !vms.isPresent(asked)) {
                return answer;
            }
            boolean complete;
            try {
                complete = vms.polled(asked, reports);
            } catch (MalformedReport _) {
                complete = false;
            }
            if (complete) {
                polls++;
            }
            ledger.put(HostCells.id(), new HostCells(true, polls, 1, 1, null).cells());
            ledger.commit();
            send();
            if (!complete) {
                return answer; // the engine asks the host itself
            }
            arrive();
            counts.relayed++;
            reports.close();
            return new HostAnswer.Success<>(
                    new MirroredReports(
                            VmReports.Kind.POLL,
                            mirror.records(),
                            reports.fetchedNanos(),
                            reports.receivedNanos(),
                            reports.sizeBytes()));
        }

        /** One delta, which may be lost or arrive twice. */
        private void send() {
            Delta delta = ledger.since(told, random.nextBoolean());
            told = delta.sequence();
            int times = random.nextInt(3);
            if (times == 0) {
                counts.lost++;
            }
            for (int i = 0; i < times; i++) {
                if (mirror.apply(delta) == HostMirror.Outcome.GAP) {
                    told = mirror.sequence();
                }
            }
            ledger.acknowledged(mirror.sequence());
        }

        private void arrive() {
            while (mirror.sequence() < ledger.version()) {
                HostMirror.Outcome outcome = mirror.apply(ledger.since(mirror.sequence(), true));
                if (outcome != HostMirror.Outcome.APPLIED) {
                    throw new IllegalStateException("a delta that fits is " + outcome);
                }
            }
        }
    }
}
