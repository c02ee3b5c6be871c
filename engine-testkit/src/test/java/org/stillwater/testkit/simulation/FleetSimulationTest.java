package org.stillwater.testkit.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.store.OpenWork;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.core.vm.PendingWork;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;

/** The rules must be able to fail: each engine here is wrong in one way. */
class FleetSimulationTest {

    private static final SimulationPlan PLAN = new SimulationPlan(3, 6, 100);

    @Test
    void anEngineThatNeverLooksIsFound() {
        assertThatThrownBy(() -> FleetSimulation.run(PLAN, 1, BlindEngine::new, null))
                .isInstanceOf(Violation.class)
                .hasMessageMatching("seed 1, step \\d+: .* is (shown as down|not known).*");
    }

    @Test
    void anEngineThatShowsAVmTwiceIsFound() {
        EngineUnderSimulation.Factory factory =
                surroundings ->
                        new BlindEngine(surroundings) {
                            @Override
                            public List<VmId> indexedOn(HostId host) {
                                return List.of(new VmId(0x2000, 1));
                            }
                        };
        assertThatThrownBy(() -> FleetSimulation.run(PLAN, 1, factory, null))
                .hasMessageContaining("vm-1 has two owners");
    }

    @Test
    void anEngineThatShowsARunningVmNowhereIsFound() {
        EngineUnderSimulation.Factory factory =
                surroundings ->
                        new BlindEngine(surroundings) {
                            @Override
                            public List<Shown> vms() {
                                return super.vms().stream()
                                        .map(vm ->
                                                new Shown(
                                                        vm.id(),
                                                        vm.runtime()
                                                                .with(
                                                                        RuntimeField.STATUS,
                                                                        VmStatus.UP),
                                                        VmPlacement.NOWHERE))
                                        .toList();
                            }
                        };
        assertThatThrownBy(() -> FleetSimulation.run(PLAN, 1, factory, null))
                .hasMessageContaining("what was not stored");
    }

    @Test
    void anEngineThatDestroysRunningVmsIsFound() {
        List<String> found = new ArrayList<>();
        for (long seed = 1; seed <= 30; seed++) {
            try {
                FleetSimulation.run(PLAN, seed, DestroyingEngine::new, null);
            } catch (Violation violation) {
                found.add(violation.getMessage()); // which rule is broken first, the seed decides
            }
        }
        assertThat(found).anyMatch(what -> what.contains("had its own process on"));
    }

    /** With a host that lies; the same seeds find nothing of the kind without one. */
    @Test
    void anEngineThatBelievesEveryReportIsFound() {
        assertThat(brokenBy(CredulousEngine::new, PLAN.withLyingHost()))
                .anyMatch(what ->
                        what.matches(".*vm-\\d+ went from .* because of a lie of host-\\d"));
        assertThat(brokenBy(CredulousEngine::new, PLAN))
                .noneMatch(what -> what.contains("because of a lie"));
    }

    private static List<String> brokenBy(
            EngineUnderSimulation.Factory engine, SimulationPlan plan) {
        List<String> found = new ArrayList<>();
        for (long seed = 1; seed <= 30; seed++) {
            try {
                FleetSimulation.run(plan, seed, engine, null);
            } catch (Violation violation) {
                found.add(violation.getMessage()); // which rule is broken first, the seed decides
            }
        }
        return found;
    }

    /** Believes the last event about a VM, of whichever host it is. */
    private static final class CredulousEngine extends BlindEngine implements VmReportSink {

        private final Map<VmId, Shown> believed = new TreeMap<>();
        private HostId reporter = new HostId(new UUID(0, 0));

        CredulousEngine(SimulationEnvironment surroundings) {
            super(surroundings);
        }

        @Override
        public void start() {
            try {
                surroundings
                        .hosts()
                        .loadAll()
                        .forEach(host ->
                                connections.add(
                                        surroundings
                                                .connector()
                                                .open(
                                                        host.definition(),
                                                        hears(host.definition().id()))));
            } catch (StoreUnavailable e) {
                throw new IllegalStateException(e);
            }
        }

        private HostListener hears(HostId host) {
            return new Deaf() {
                @Override
                public void vmsChanged(VmReports reports) {
                    reporter = host;
                    try {
                        reports.decode(CredulousEngine.this);
                    } catch (MalformedReport e) {
                        throw new IllegalStateException(e);
                    }
                    reports.close();
                }
            };
        }

        @Override
        public List<Shown> vms() {
            return super.vms().stream().map(vm -> believed.getOrDefault(vm.id(), vm)).toList();
        }

        @Override
        public List<VmId> indexedOn(HostId host) {
            return vms().stream()
                    .filter(vm -> host.equals(vm.placement().runOn()))
                    .map(Shown::id)
                    .toList();
        }

        @Override
        public VmRuntime known(VmId vm, VmSample sample) {
            Shown shown = believed.get(vm);
            return shown == null ? VmRuntime.INITIAL : shown.runtime();
        }

        @Override
        public void accept(VmReport report, @Nullable VmSample sample) {
            VmId vm = report.vmId();
            believed.put(
                    vm,
                    report instanceof VmReport.Running running
                            ? new Shown(vm, running.runtime(), VmPlacement.on(reporter))
                            : new Shown(vm, VmRuntime.INITIAL, VmPlacement.NOWHERE));
        }

        @Override
        public void malformed(@Nullable VmId vm, String reason) {}
    }

    /** Knows the stored state and never learns more. */
    private static class BlindEngine implements EngineUnderSimulation {

        final SimulationEnvironment surroundings;
        final List<HostConnection> connections = new ArrayList<>();

        BlindEngine(SimulationEnvironment surroundings) {
            this.surroundings = surroundings;
        }

        @Override
        public void start() {
            try {
                surroundings
                        .hosts()
                        .loadAll()
                        .forEach(host ->
                                connections.add(
                                        surroundings
                                                .connector()
                                                .open(host.definition(), listener())));
            } catch (org.stillwater.core.store.StoreUnavailable e) {
                throw new IllegalStateException(e);
            }
        }

        HostListener listener() {
            return new Deaf();
        }

        @Override
        public void pump() {}

        @Override
        public void stop() {}

        @Override
        public void kill() {}

        @Override
        public List<Shown> vms() {
            List<Shown> shown = new ArrayList<>();
            for (long i = 1; i <= PLAN.vms(); i++) {
                VmId id = new VmId(0x2000, i);
                if (surroundings.vms().vm(id) != null) {
                    shown.add(new Shown(id, VmRuntime.INITIAL, VmPlacement.NOWHERE));
                }
            }
            return shown;
        }

        @Override
        public String beside(VmId vm) {
            return "";
        }

        @Override
        public List<String> contested() {
            return List.of();
        }

        @Override
        public List<VmId> indexedOn(HostId host) {
            return List.of();
        }

        @Override
        public HostStatus hostStatus(HostId host) {
            return HostStatus.UP;
        }

        @Override
        public void order(HostId host, HostFact.Order order) {}

        @Override
        public void refresh(HostId host) {}

        @Override
        public void addHost(HostDefinition host) {}

        @Override
        public boolean removeHost(HostId host) {
            return false;
        }

        @Override
        public long revision() {
            return 0;
        }

        @Override
        public void lock(VmId vm) {}

        @Override
        public void unlock(VmId vm) {}

        @Override
        public void settle(VmId vm) {}

        @Override
        public void beginMigration(VmId vm, HostId destination) {}

        @Override
        public void beginRun(VmId vm, HostId host) {}

        @Override
        public void coldReboot(VmId vm) {}

        @Override
        public void powerOff(VmId vm) {}

        @Override
        public List<OpenWork> pendingWork() {
            return List.of();
        }

        @Override
        public boolean takeOver(PendingWork work, UUID owner) {
            return false;
        }
    }

    /** Has everything destroyed whenever it hears anything. */
    private static final class DestroyingEngine extends BlindEngine {

        private boolean heard;

        DestroyingEngine(SimulationEnvironment surroundings) {
            super(surroundings);
        }

        @Override
        HostListener listener() {
            return new Deaf() {
                @Override
                public void vmsChanged(VmReports reports) {
                    super.vmsChanged(reports);
                    heard = true;
                }
            };
        }

        @Override
        public void pump() {
            if (heard) {
                heard = false;
                for (HostConnection host : connections) {
                    vms().forEach(vm -> host.destroy(vm.id(), _ -> {}));
                }
            }
        }
    }

    /** Hears nothing. */
    private static class Deaf implements HostListener {

        @Override
        public String certificateShown(HostDefinition dialled, HostCertificate shown) {
            return null;
        }

        @Override
        public void connected() {}

        @Override
        public void disconnected(org.stillwater.core.connection.HostFailure failure) {}

        @Override
        public void vmsChanged(VmReports reports) {
            reports.close();
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, Long downtimeMillis) {}

        @Override
        public void networkChanged() {}

        @Override
        public void malformed(String reason) {}
    }

    @Test
    void aTraceIsWrittenOnRequest() {
        List<String> lines = new ArrayList<>();
        assertThatThrownBy(() -> FleetSimulation.run(PLAN, 1, BlindEngine::new, lines::add))
                .isInstanceOf(Violation.class);
        assertThat(lines).anyMatch(line -> line.contains("truth"));
    }
}
