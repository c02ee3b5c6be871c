package org.stillwater.monitoring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.stillwater.monitoring.Lab.ALPHA;
import static org.stillwater.monitoring.Lab.BETA;
import static org.stillwater.monitoring.Lab.OTHER;
import static org.stillwater.monitoring.Lab.VM;
import static org.stillwater.monitoring.Lab.status;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.analysis.host.HostFact;
import org.stillwater.core.audit.AuditEntry;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.audit.AuditFilter;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.regression.Finding;
import org.stillwater.core.regression.Mark;
import org.stillwater.core.regression.RegressionMetric;
import org.stillwater.core.regression.SeriesOwner;
import org.stillwater.core.regression.SeriesOwner.Shared;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.ExitStatus;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmCommands;
import org.stillwater.core.vm.VmCommands.InFlight;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.audit.AuditReader;
import org.stillwater.monitoring.regression.RegressionMonitor;
import org.stillwater.monitoring.regression.RegressionSettings;
import org.stillwater.monitoring.regression.SeriesArchive;
import org.stillwater.monitoring.regression.SeriesArchiveState.Phase;
import org.stillwater.monitoring.regression.SeriesReader;
import org.stillwater.monitoring.vm.VmManager;
import org.stillwater.testkit.ScriptedReports;
import org.stillwater.testkit.memory.InMemoryFindingStore;
import org.stillwater.testkit.memory.InMemorySeriesPointStore;

/** Changes of the fleet that may coincide with a regression, and durations that they show. */
@DisplayName("Recorded changes")
class RecordedChangesTest {

    private static final List<HostId> HOSTS = List.of(ALPHA, BETA);
    private static final List<String> DOMAINS =
            List.of("00000000-0000-0000-0000-00000000000a", "00000000-0000-0000-0000-00000000000b");

    private final Lab lab = new Lab();
    private final Random random = new Random(3);
    private final Map<HostId, Long> bootTimes = new HashMap<>();
    private int speed = 1_000;
    private double seconds;
    private RegressionMonitor monitor;

    private void started(@Nullable String boot) throws Exception {
        lab.storedHosts(ALPHA, BETA).storedVm(VM, ALPHA, VmStatus.UP);
        lab.vms.put(
                new StoredVm(
                        OTHER,
                        Lab.defined(OTHER, VmOrigin.OVIRT),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, VmStatus.DOWN),
                        VmPlacement.NOWHERE));
        lab.started();
        for (HostId host : HOSTS) {
            capabilities(host, boot, "1", "5");
            lab.answer(host, poll -> running(host, poll));
        }
        monitor = newMonitor(100);
        cycles(1, 1);
        assertThat(changesOf(ALPHA)).isEmpty();
    }

    private RegressionMonitor newMonitor(int mostChanges) {
        Duration cycle = lab.settings.hosts().interval();
        return new RegressionMonitor(
                new RegressionSettings(
                        cycle, cycle, 100, 1_000, 0.1, 50, Duration.ofDays(1), mostChanges),
                lab.engine.fleet(),
                _ -> Map.of(),
                new InMemoryFindingStore(),
                lab.engine.commandAccess()::audit,
                lab.clock,
                lab.meters);
    }

    /** Another life of the search, which has read back what it can. */
    private SeriesArchive restarted(int mostChanges, AuditReader log) {
        lab.settle();
        lab.clock.advance(Duration.ofSeconds(1));
        monitor = newMonitor(mostChanges);
        SeriesArchive archive =
                new SeriesArchive(
                        monitor,
                        new InMemorySeriesPointStore(),
                        log,
                        (_, _, _, _, _) -> List.of(),
                        lab.settings.hosts().interval(),
                        Duration.ofHours(1),
                        () -> false,
                        lab.clock,
                        lab.meters);
        archive.serve();
        work(archive);
        return archive;
    }

    private static void work(SeriesArchive archive) {
        int turns = 0;
        while (archive.turn()) {
            turns++;
            assertThat(turns).isLessThan(1_000);
        }
    }

    private void audit(AuditEvent event, @Nullable VmId vm, @Nullable HostId host) {
        lab.engine.commandAccess().audit(event, vm, host, Map.of("user", "admin"));
    }

    private void software(String change) {
        lab.engine
                .commandAccess()
                .audit(AuditEvent.HOST_SOFTWARE_CHANGED, null, BETA, Map.of("change", change));
    }

    private void capabilities(HostId host, @Nullable String boot, String revision, String number) {
        lab.host(host).listener().networkChanged();
        lab.pump();
        lab.host(host).answerCapabilities(reported(boot, revision, number));
        lab.pump();
    }

    private static HostCapabilities reported(
            @Nullable String boot, String revision, String number) {
        return new HostValues()
                .put(HostField.SELINUX_MODE, 1)
                .put(HostField.BOOT_UUID, boot)
                .put(HostField.SOFTWARE_VERSION, "4.50.3")
                .put(HostField.SOFTWARE_REVISION, revision)
                .put(HostField.PACKAGE_KERNEL, "6." + number)
                .put(HostField.PACKAGE_QEMU_KVM, "9." + number)
                .put(HostField.PACKAGE_LIBVIRT, "10." + number)
                .put(
                        HostField.NICS,
                        Map.of(
                                "ens1",
                                new HostNetworks.Nic(
                                        HostNetworks.Ip.NONE, null, null, 1_000, null, null)))
                .capabilities();
    }

    /** The VMs of a host as it polls them. */
    private void running(HostId host, ScriptedReports poll) {
        for (VmId vm : List.of(VM, OTHER)) {
            if (host.equals(lab.owner(vm))) {
                poll.running(vm, stamp(), status(lab.status(vm)));
            }
        }
    }

    private long stamp() {
        return lab.clock.nanoTime() / 1_000_000;
    }

    /** Cycles of both hosts; storage is slower for the first one by a factor. */
    private void cycles(int count, double factor) {
        for (int i = 0; i < count; i++) {
            lab.clock.advance(lab.settings.hosts().interval());
            seconds += 15;
            lab.pump();
            for (HostId host : HOSTS) {
                if (!lab.hostStatus(host).isRefreshed()) {
                    continue;
                }
                lab.host(host).answerStatistics(statistics(host, host.equals(ALPHA) ? factor : 1));
                if (lab.host(host).pollsWaiting() > 0) {
                    lab.answer(host, poll -> running(host, poll));
                }
            }
            lab.settle();
            monitor.turn();
        }
    }

    private HostStatistics statistics(HostId host, double factor) {
        Map<String, HostStatistics.StorageDomain> paths = new HashMap<>();
        for (String domain : DOMAINS) {
            double delay = 0.001 * factor * Math.exp(0.05 * random.nextGaussian());
            paths.put(domain, new HostStatistics.StorageDomain(0, 2.0, delay, true, 5, true, true));
        }
        return new HostValues()
                .put(HostField.BOOT_TIME, bootTimes.get(host))
                .put(HostField.STORAGE_DOMAINS, paths)
                .put(
                        HostField.INTERFACES,
                        Map.of(
                                "ens1",
                                new HostStatistics.Nic(
                                        true,
                                        host.equals(BETA) ? speed : 1_000,
                                        0L,
                                        0L,
                                        0L,
                                        0L,
                                        seconds)))
                .statistics();
    }

    private List<String> changesOf(HostId host) {
        return changesOf(new Shared(SeriesOwner.HOST, host.toString()));
    }

    private List<String> changesOf(Shared object) {
        return changesOf(object, Instant.EPOCH, lab.clock.now().plusSeconds(1));
    }

    private List<String> changesOf(Shared object, Instant from, Instant until) {
        return monitor
                .coincidences(
                        List.of(new SeriesOwner("member", List.of(object))),
                        lab.clock.now(),
                        from,
                        until)
                .stream()
                .map(each -> each.kind().label() + ": " + each.text())
                .sorted()
                .toList();
    }

    /** Durations of a host in the newest intervals, in seconds. */
    private List<Double> durations(RegressionMetric metric, HostId host) {
        SeriesReader reader =
                new SeriesReader(monitor, new InMemorySeriesPointStore(), Duration.ZERO);
        List<Double> found = new ArrayList<>();
        for (long i = reader.newest() - 5; i <= reader.newest(); i++) {
            reader.visit(
                    metric,
                    i,
                    (owner, value) -> {
                        if (owner.name().equals(host.toString()) && !Double.isNaN(value)) {
                            found.add(value);
                        }
                    });
        }
        return found;
    }

    @Test
    @DisplayName("versions of agent, kernel, QEMU and libvirt, and another boot")
    void software() throws Exception {
        started("boot-1");
        capabilities(BETA, "boot-2", "2", "6");
        cycles(1, 1);

        assertThat(changesOf(BETA))
                .containsExactly(
                        "reboot: host booted",
                        "software: QEMU 9.5 became 9.6",
                        "software: host agent 4.50.3, revision 1 became 2",
                        "software: kernel 6.5 became 6.6",
                        "software: libvirt 10.5 became 10.6");
        assertThat(changesOf(ALPHA)).isEmpty();
    }

    @Test
    @DisplayName("another boot of a host without boot ids, marked in the evidence")
    void bootTime() throws Exception {
        bootTimes.put(ALPHA, 1_000L);
        started(null);
        cycles(38, 1);
        bootTimes.put(ALPHA, 1_004L);
        cycles(1, 1);
        assertThat(changesOf(ALPHA)).as("rounding of the boot time").isEmpty();

        bootTimes.put(ALPHA, 2_000L);
        cycles(12, 1.5);

        assertThat(changesOf(ALPHA)).containsExactly("reboot: host booted");
        Finding finding = monitor.findings().getFirst();
        assertThat(finding.where()).isEqualTo(new Shared(SeriesOwner.HOST, ALPHA.toString()));
        assertThat(finding.coincidences().getFirst().text()).isEqualTo("host booted");
        assertThat(finding.evidence())
                .isNotEmpty()
                .allSatisfy(each ->
                        assertThat(each.marks())
                                .singleElement()
                                .satisfies(mark -> {
                                    assertThat(mark.kind()).isEqualTo(Mark.Kind.RESTART);
                                    assertThat(mark.index()).isBetween(46L, 50L);
                                }));
    }

    @Test
    @DisplayName("the speed of a link")
    void networkSpeed() throws Exception {
        started("boot-1");
        cycles(2, 1);
        speed = 100;
        cycles(2, 1);

        assertThat(changesOf(BETA)).containsExactly("network-speed: ens1 from 1000 to 100 Mbit/s");
    }

    @Test
    @DisplayName("maintenance of a host, begin and end")
    void maintenance() throws Exception {
        started("boot-1");
        assertThat(lab.engine.administration().order(BETA, new HostFact.Maintain(null)))
                .isNotNull();
        for (int i = 0; i < 20 && lab.hostStatus(BETA) != HostStatus.MAINTENANCE; i++) {
            lab.clock.advance(Duration.ofSeconds(3));
            lab.pump();
            lab.host(BETA)
                    .answerStatistics(new HostValues().put(HostField.VM_COUNT, 0).statistics());
            lab.settle();
        }
        cycles(1, 1);
        assertThat(changesOf(BETA)).containsExactly("maintenance: host to maintenance");

        assertThat(lab.engine.administration().order(BETA, new HostFact.Activate())).isNotNull();
        lab.settle();
        cycles(1, 1);
        assertThat(changesOf(BETA))
                .containsExactly(
                        "maintenance: host back from maintenance",
                        "maintenance: host to maintenance");
    }

    @Test
    @DisplayName("the definition of a VM")
    void definition() throws Exception {
        started("boot-1");
        assertThat(lab.engine.commandAccess().redefine(VM, Lab.defined(VM, VmOrigin.OVIRT)))
                .isTrue();
        cycles(1, 1);

        assertThat(changesOf(new Shared(SeriesOwner.VM, VM.toString())))
                .containsExactly("definition: the definition of VM vm1 changed");
    }

    @Test
    @DisplayName("a migration, of the VM and of its new host; the old one has its duration")
    void migration() throws Exception {
        started("boot-1");
        VmManager vm = lab.engine.manager(VM);
        vm.lock();
        try {
            lab.engine
                    .commandAccess()
                    .change(
                            vm,
                            vm.state().runtime().with(RuntimeField.STATUS, VmStatus.MIGRATING_FROM),
                            vm.state().placement().withMigratingTo(BETA),
                            new VmCommands(InFlight.MIGRATE, false, false));
        } finally {
            vm.unlock();
        }
        lab.settle();
        monitor.turn();
        lab.clock.advance(Duration.ofSeconds(7));
        lab.event(
                        ALPHA,
                        event ->
                                event.exited(
                                        VM,
                                        stamp(),
                                        ExitStatus.NORMAL,
                                        ExitReason.MIGRATION_SUCCEEDED,
                                        ""))
                .settle();
        lab.event(BETA, event -> event.running(VM, stamp(), status(VmStatus.UP))).settle();
        cycles(2, 1);

        assertThat(changesOf(BETA)).containsExactly("migration: a VM migrated");
        assertThat(changesOf(new Shared(SeriesOwner.VM, VM.toString())))
                .containsExactly("migration: a VM migrated");
        assertThat(changesOf(ALPHA)).isEmpty();
        assertThat(durations(RegressionMetric.MIGRATION_DURATION, ALPHA))
                .singleElement()
                .satisfies(took -> assertThat(took).isBetween(7.0, 7.3));
    }

    @Test
    @DisplayName("a neighbour that starts; its host has the time until it is up")
    void start() throws Exception {
        started("boot-1");
        lab.event(BETA, event -> event.running(OTHER, stamp(), status(VmStatus.WAIT_FOR_LAUNCH)))
                .settle();
        monitor.turn();
        lab.clock.advance(Duration.ofSeconds(9));
        lab.event(BETA, event -> event.running(OTHER, stamp(), status(VmStatus.UP))).settle();
        cycles(2, 1);

        assertThat(changesOf(BETA)).containsExactly("start: a VM started");
        assertThat(durations(RegressionMetric.BOOT_TIME, BETA))
                .singleElement()
                .satisfies(took -> assertThat(took).isBetween(9.0, 9.3));
    }

    @Test
    @DisplayName("a neighbour whose start shows by its end only")
    void fastStart() throws Exception {
        started("boot-1");
        lab.event(BETA, event -> event.running(OTHER, stamp(), status(VmStatus.UP))).settle();
        cycles(2, 1);

        assertThat(lab.owner(OTHER)).isEqualTo(BETA);
        assertThat(changesOf(BETA)).containsExactly("start: a VM started");
        assertThat(durations(RegressionMetric.BOOT_TIME, BETA)).isEmpty();
    }

    @Test
    @DisplayName("after a restart, those that hosts showed before it")
    void shownBefore() throws Exception {
        started("boot-1");
        cycles(2, 1);
        capabilities(BETA, "boot-2", "2", "6");
        speed = 100;
        cycles(2, 1);
        List<String> shown = changesOf(BETA);
        assertThat(shown)
                .hasSize(6)
                .contains("reboot: host booted", "network-speed: ens1 from 1000 to 100 Mbit/s");

        SeriesArchive archive = restarted(100, lab.engine.events());

        assertThat(archive.state().phase()).isEqualTo(Phase.DONE);
        assertThat(changesOf(BETA)).isEqualTo(shown);
        assertThat(changesOf(ALPHA)).isEmpty();
    }

    @ParameterizedTest(name = "hosts report before the search begins: {0}")
    @ValueSource(booleans = {false, true})
    @DisplayName("updates and boots of hosts while no engine ran")
    void whileNoEngineRan(boolean early) throws Exception {
        started("boot-1");
        lab.settle();
        lab.engine.close();
        lab.with(lab.settings).engine.startWithoutThreads();
        lab.clock.advance(lab.settings.hosts().connectSpread());
        monitor = newMonitor(100);
        if (!early) {
            monitor.turn();
        }
        first(ALPHA, reported("boot-1", "1", "5"));
        first(BETA, reported("boot-2", "1", "6"));
        monitor.turn();
        lab.settle();

        assertThat(changesOf(BETA))
                .containsExactly(
                        "reboot: host booted",
                        "software: QEMU 9.5 became 9.6",
                        "software: kernel 6.5 became 6.6",
                        "software: libvirt 10.5 became 10.6");
        assertThat(changesOf(ALPHA)).isEmpty();
        assertThat(lab.engine.events().recent())
                .as("for the next run")
                .extracting(AuditEntry::event)
                .contains(AuditEvent.HOST_BOOTED, AuditEvent.HOST_SOFTWARE_CHANGED);

        monitor.turn();
        assertThat(changesOf(BETA)).as("once").hasSize(4);
    }

    /** First report of a host in a run of the engine. */
    private void first(HostId host, HostCapabilities reported) {
        lab.pump();
        lab.host(host).connect();
        lab.pump();
        lab.host(host).answerCapabilities(reported);
        lab.pump();
        lab.host(host).answerStatistics();
        lab.pump();
    }

    @Test
    @DisplayName("after a restart, those of operations and of the administration before it")
    void orderedBefore() throws Exception {
        started("boot-1");
        audit(AuditEvent.VDS_MAINTENANCE, null, ALPHA);
        audit(AuditEvent.VDS_ACTIVATE, null, ALPHA);
        audit(AuditEvent.USER_RUN_VM, OTHER, ALPHA);
        audit(AuditEvent.VM_MIGRATION_DONE, VM, BETA);
        audit(AuditEvent.USER_UPDATE_VM, VM, null);
        audit(AuditEvent.VM_MIGRATION_FAILED, OTHER, ALPHA);

        restarted(100, lab.engine.events());

        assertThat(changesOf(ALPHA))
                .containsExactly(
                        "maintenance: host activated",
                        "maintenance: host to maintenance",
                        "start: a VM started");
        assertThat(changesOf(BETA)).containsExactly("migration: a VM migrated");
        assertThat(changesOf(new Shared(SeriesOwner.VM, VM.toString())))
                .containsExactly(
                        "definition: the definition of VM vm1 changed", "migration: a VM migrated");
        assertThat(changesOf(new Shared(SeriesOwner.VM, OTHER.toString()))).isEmpty();
    }

    @Test
    @DisplayName("after a restart, those of the window only")
    void ofTheWindow() throws Exception {
        started("boot-1");
        software("kernel 1 became 2");
        lab.clock.advance(lab.settings.hosts().interval().multipliedBy(105));
        software("kernel 2 became 3");
        restarted(100, lab.engine.events());

        assertThat(changesOf(BETA)).containsExactly("software: kernel 2 became 3");
    }

    @Test
    @DisplayName("after a restart, the newest ones up to the limit, however many pages they take")
    void newestBefore() throws Exception {
        started("boot-1");
        Instant begin = lab.clock.now();
        for (int i = 0; i < 700; i++) {
            lab.clock.advance(Duration.ofSeconds(1));
            software("kernel %d became %d".formatted(i, i + 1));
        }
        Shared beta = new Shared(SeriesOwner.HOST, BETA.toString());

        restarted(600, lab.engine.events());

        Instant first = begin.plusMillis(100_500);
        assertThat(changesOf(beta, begin, first)).isEmpty();
        assertThat(changesOf(beta, first, first.plusSeconds(3)))
                .containsExactly(
                        "software: kernel 100 became 101",
                        "software: kernel 101 became 102",
                        "software: kernel 102 became 103");
        assertThat(changesOf(beta, first.plusSeconds(599), first.plusSeconds(600)))
                .containsExactly("software: kernel 699 became 700");
    }

    @Test
    @DisplayName("after a restart without the database, when it answers again")
    void unavailableBefore() throws Exception {
        started("boot-1");
        software("kernel 1 became 2");
        AtomicBoolean away = new AtomicBoolean(true);
        AuditReader log =
                new AuditReader() {
                    @Override
                    public List<AuditEntry> newest(
                            AuditFilter filter, AuditEntry.@Nullable Position before, int limit)
                            throws StoreUnavailable {
                        if (away.get()) {
                            throw new StoreUnavailable("away", new IllegalStateException("away"));
                        }
                        return lab.engine.events().newest(filter, before, limit);
                    }

                    @Override
                    public List<AuditEntry> recent() {
                        return List.of();
                    }
                };
        SeriesArchive archive = restarted(100, log);
        assertThat(archive.state().reason()).isEqualTo("away");
        assertThat(lab.meters.get("stillwater.regressions.unavailable").counter().count())
                .isEqualTo(1);
        assertThat(changesOf(BETA)).isEmpty();

        away.set(false);
        lab.clock.advance(Duration.ofSeconds(5));
        work(archive);

        assertThat(changesOf(BETA)).containsExactly("software: kernel 1 became 2");
        assertThat(archive.state().phase()).isEqualTo(Phase.DONE);
    }
}
