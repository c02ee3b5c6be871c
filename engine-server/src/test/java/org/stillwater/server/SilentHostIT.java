package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.core.model.HostStatus.CONNECTING;
import static org.stillwater.core.model.HostStatus.NON_RESPONSIVE;
import static org.stillwater.core.model.HostStatus.UP;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.stillwater.core.model.AuditEntry;
import org.stillwater.core.model.AuditEvent;
import org.stillwater.core.model.AuditFilter;
import org.stillwater.core.model.HostStatus;
import org.stillwater.core.model.HostWorkKind;
import org.stillwater.core.model.VmStatus;
import org.stillwater.core.port.StoreUnavailable;
import org.stillwater.dal.TestDatabase;
import org.stillwater.monitoring.feed.Delta;
import org.stillwater.monitoring.feed.Subscription;
import org.stillwater.monitoring.host.HostHealth;

/**
 * A host that is a process of its own falls silent in the ways in which processes do, and the
 * engine tells what it sees: statuses in their order, the audit log, VMs, and the work that is left
 * to commands. Every time of the engine is shortened; nothing here waits for a time.
 */
@Timeout(180) // an engine that does not start must not stop the build
class SilentHostIT {

    private static final int VMS = 3;

    private static final String[] SHORT_TIMES = {
        "--stillwater.cycle.interval=500ms",
        "--stillwater.wire.connect-timeout=1s",
        "--stillwater.wire.handshake-timeout=1s",
        "--stillwater.wire.call-timeout=1s",
        "--stillwater.wire.heart-beat-in=500ms",
        "--stillwater.wire.heart-beat-out=500ms",
        "--stillwater.host-policy.refresh=100ms",
        "--stillwater.host-policy.forgiven-silence=2s",
        "--stillwater.host-policy.forgiven-silence-per-vm=0ms",
        "--stillwater.host-policy.fencing-delay=0ms"
    };

    @TempDir private Path folder;

    @Test
    @DisplayName(
            "S81 a host whose process stands still is given up, and is up again when it goes on")
    void frozen() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatorProcess host = SimulatorProcess.start(folder, VMS);
                Watched watched = Watched.start(database, host)) {
            watched.awaitVms(VmStatus.UP);

            host.freeze();
            watched.awaitStatus(NON_RESPONSIVE);
            watched.awaitVms(VmStatus.UNKNOWN);
            assertThat(watched.statuses).containsSubsequence(UP, CONNECTING, NON_RESPONSIVE);
            watched.awaitFenceWork(1);

            host.thaw();
            watched.awaitStatus(UP);
            watched.awaitVms(VmStatus.UP);
            watched.awaitFenceWork(0);
            assertThat(watched.events())
                    .containsSubsequence(
                            AuditEvent.VDS_DETECTED,
                            AuditEvent.VDS_HOST_NOT_RESPONDING,
                            AuditEvent.VDS_FAILURE,
                            AuditEvent.VDS_DETECTED);
            assertThat(Collections.frequency(watched.events(), AuditEvent.VDS_FAILURE)).isOne();
            assertThat(Collections.frequency(watched.events(), AuditEvent.VM_SET_TO_UNKNOWN_STATUS))
                    .isEqualTo(VMS);
        }
    }

    @Test
    void aHostWhosePortIsCutIsGivenUpAndComesBack() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatorProcess host = SimulatorProcess.start(folder, VMS);
                Watched watched = Watched.start(database, host)) {
            host.cutPort();
            watched.awaitStatus(NON_RESPONSIVE);
            watched.awaitVms(VmStatus.UNKNOWN);

            host.openPort();
            watched.awaitStatus(UP);
            watched.awaitVms(VmStatus.UP);
            assertThat(watched.statuses).containsSubsequence(UP, CONNECTING, NON_RESPONSIVE, UP);
        }
    }

    @Test
    void aHostThatIsKilledIsGivenUpAndItsVmsAreKnownAgainWhenItIsBack() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatorProcess host = SimulatorProcess.start(folder, VMS);
                Watched watched = Watched.start(database, host)) {
            host.kill();
            watched.awaitStatus(NON_RESPONSIVE);
            watched.awaitVms(VmStatus.UNKNOWN);

            host.start("pki");
            watched.awaitStatus(UP);
            watched.awaitVms(VmStatus.UP);
            assertThat(watched.statuses).containsSubsequence(UP, CONNECTING, NON_RESPONSIVE, UP);
        }
    }

    @Test
    void aHostWithOtherCertificatesIsNotTrustedAndTheCauseIsNamed() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatorProcess host = SimulatorProcess.start(folder, VMS);
                Watched watched = Watched.start(database, host)) {
            host.kill();
            host.start("other-pki");
            watched.awaitStatus(NON_RESPONSIVE);
            watched.awaitVms(VmStatus.UNKNOWN);
            watched.awaitReason("TLS refused");

            host.kill();
            host.start("pki");
            watched.awaitStatus(UP);
            watched.awaitVms(VmStatus.UP);
            assertThat(watched.statuses).containsSubsequence(UP, CONNECTING, NON_RESPONSIVE, UP);
            assertThat(watched.events()).contains(AuditEvent.VDS_FAILURE);
        }
    }

    @Test
    void aHostThatComesBackWhenItsAgentIsRestartedWasRecoveredSoftly() throws Exception {
        try (TestDatabase database = TestDatabase.migrated();
                SimulatorProcess host = SimulatorProcess.start(folder, VMS)) {
            // In the place of the OpenSSH client: what "restarting the agent" is for a process.
            Path ssh = folder.resolve("ssh");
            Files.writeString(ssh, "#!/bin/sh\nexec kill -CONT " + host.pid() + "\n");
            assertThat(ssh.toFile().setExecutable(true)).isTrue();
            Path empty = Files.createFile(folder.resolve("empty"));
            try (Watched watched =
                    Watched.start(
                            database,
                            host,
                            "--stillwater.fencing.ssh.enabled=true",
                            "--stillwater.fencing.ssh.program=" + ssh,
                            "--stillwater.fencing.ssh.identity=" + empty,
                            "--stillwater.fencing.ssh.known-hosts=" + empty)) {
                host.freeze();
                watched.awaitStatus(NON_RESPONSIVE);
                watched.awaitStatus(UP);
                watched.awaitVms(VmStatus.UP);
                watched.awaitEvent(AuditEvent.VDS_SOFT_RECOVER);
                watched.awaitFenceWork(0);
            }
        }
    }

    /** An engine that watches the host, and what it told. */
    private static final class Watched implements AutoCloseable {

        final RunningEngine engine;
        final List<HostStatus> statuses = new ArrayList<>();
        private final Subscription changes;

        /** How many of the statuses were awaited. */
        private int awaited = 1;

        private Watched(RunningEngine engine) {
            this.engine = engine;
            this.changes = engine.monitoring().subscribe(null, false);
        }

        /** Returns when the host is up and its VMs are known. */
        static Watched start(TestDatabase database, SimulatorProcess host, String... more)
                throws Exception {
            String[] all =
                    Stream.concat(Stream.of(SHORT_TIMES), Stream.of(more)).toArray(String[]::new);
            Watched watched =
                    new Watched(RunningEngine.start(database, host.engineArguments(), all));
            try {
                watched.engine.awaitHostsUp(1);
                watched.statuses.add(UP);
                RunningEngine.await(
                        () -> watched.engine.monitoring().vmCount() == VMS,
                        () -> watched.engine.monitoring().vmCount() + " VMs");
                return watched;
            } catch (Throwable e) {
                watched.close();
                throw e;
            }
        }

        /** Takes changes in, in their order, until the host has come to this status since. */
        void awaitStatus(HostStatus status) {
            RunningEngine.await(
                    () -> {
                        takeIn();
                        return statuses.subList(awaited, statuses.size()).contains(status);
                    },
                    () -> statuses + ", now " + engine.monitoring().hosts());
            awaited += statuses.subList(awaited, statuses.size()).indexOf(status) + 1;
        }

        private void takeIn() {
            try {
                for (Delta delta : changes.next(Duration.ofMillis(20)).deltas()) {
                    if (delta instanceof Delta.HostChanged changed
                            && statuses.getLast() != changed.state().status()) {
                        statuses.add(changed.state().status());
                    }
                }
            } catch (Exception e) {
                throw new AssertionError("the feed ended", e);
            }
        }

        void awaitVms(VmStatus status) {
            RunningEngine.await(
                    () -> {
                        takeIn();
                        return engine.monitoring()
                                        .vms()
                                        .filter(vm -> vm.state().runtime().status() == status)
                                        .count()
                                == VMS;
                    },
                    () -> engine.get("/api/v1/vms").body());
        }

        void awaitFenceWork(int count) {
            RunningEngine.await(
                    () ->
                            engine.monitoring().pendingHostWork().stream()
                                            .filter(open ->
                                                    open.work().kind() == HostWorkKind.FENCE)
                                            .count()
                                    == count,
                    () -> engine.get("/api/v1/work").body());
        }

        void awaitReason(String words) {
            RunningEngine.await(
                    () -> String.valueOf(health().reason()).contains(words),
                    () -> health().toString());
        }

        private HostHealth health() {
            return engine.monitoring().hostHealth().getFirst();
        }

        void awaitEvent(AuditEvent event) {
            RunningEngine.await(() -> events().contains(event), () -> events().toString());
        }

        /** The audit log, oldest first. */
        List<AuditEvent> events() {
            return entries().stream().map(AuditEntry::event).toList();
        }

        private List<AuditEntry> entries() {
            try {
                return engine.monitoring().events(AuditFilter.ANY, null, 1000).reversed();
            } catch (StoreUnavailable e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void close() {
            changes.close();
            engine.close();
        }
    }
}
