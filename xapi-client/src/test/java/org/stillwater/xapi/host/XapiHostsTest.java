package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.connection.HostConnection;
import org.stillwater.core.connection.HostFailure;
import org.stillwater.core.connection.HostListener;
import org.stillwater.core.connection.HypervisorPools.HostOrder;
import org.stillwater.core.connection.MigrationParameters;
import org.stillwater.core.connection.RefusalCode;
import org.stillwater.core.connection.VmOrder;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.report.HostCapabilities;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.report.MalformedReport;
import org.stillwater.core.report.VmReport;
import org.stillwater.core.report.VmReportSink;
import org.stillwater.core.report.VmReports;
import org.stillwater.core.report.VmSample;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.trust.HostCertificate;
import org.stillwater.core.vm.ExitReason;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.fake.xapi.net.FaultKind;
import org.stillwater.fake.xapi.world.Store.Row;
import org.stillwater.xapi.client.Lab;
import org.stillwater.xapi.client.PoolListener;
import org.stillwater.xapi.client.PoolWatch;
import org.stillwater.xapi.client.XapiClass;
import org.stillwater.xapi.client.XapiRecord;

/** A simulated pool as the engine sees its hosts, over real sockets. */
@Timeout(120)
class XapiHostsTest {

    /** An engine that learns of a change at once. */
    private static final class Knowing implements PoolInventory {
        final BlockingQueue<String> moves = new LinkedBlockingQueue<>();
        final BlockingQueue<PoolMessage> messages = new LinkedBlockingQueue<>();
        final BlockingQueue<String> looks = new LinkedBlockingQueue<>();
        final BlockingQueue<String> refusals = new LinkedBlockingQueue<>();

        @Override
        public void changed(XapiPool pool) {
            looks.add(pool.name());
            pool.takeTouched();
            pool.admit(pool.vms().stream().map(PoolVm::id).toList());
            pool.ready();
        }

        @Override
        public void moving(VmId vm, HostId from, HostId to) {
            moves.add(vm + " " + from + " " + to);
        }

        @Override
        public void told(XapiPool pool, PoolMessage message, boolean old) {
            messages.add(message);
        }

        @Override
        public void refused(XapiPool pool, String code) {
            refusals.add(code);
        }
    }

    /** The messages of one host's connection, its VMs decoded as by the engine. */
    private static final class Said implements HostListener {
        final BlockingQueue<String> contact = new LinkedBlockingQueue<>();
        final BlockingQueue<Map.Entry<VmOrder, HostFailure>> failures = new LinkedBlockingQueue<>();
        final BlockingQueue<VmReport> reports = new LinkedBlockingQueue<>();
        final BlockingQueue<String> progress = new LinkedBlockingQueue<>();
        final Map<VmId, VmRuntime> known = new HashMap<>();
        final Map<VmId, Long> seconds = new HashMap<>();
        final Map<VmId, Double> waiting = new HashMap<>();
        final Map<VmId, Long> memory = new HashMap<>();

        /** How many VMs each event was about. */
        final Queue<Integer> sizes = new ConcurrentLinkedQueue<>();

        @Override
        public @Nullable String certificateShown(HostDefinition dialled, HostCertificate shown) {
            return null;
        }

        @Override
        public void connected() {
            contact.add("connected");
        }

        @Override
        public void disconnected(HostFailure failure) {
            contact.add(failure.describe());
        }

        @Override
        public void vmsChanged(VmReports message) {
            List<VmReport> all = decode(message);
            sizes.add(all.size());
            reports.addAll(all);
        }

        synchronized List<VmReport> decode(VmReports message) {
            List<VmReport> all = new ArrayList<>();
            try (message) {
                int _ =
                        message.decode(
                                new VmReportSink() {
                                    @Override
                                    public VmRuntime known(VmId vmId, VmSample sample) {
                                        return known.getOrDefault(vmId, VmRuntime.INITIAL);
                                    }

                                    @Override
                                    public void accept(VmReport report, @Nullable VmSample sample) {
                                        if (report instanceof VmReport.Running running) {
                                            known.put(running.vmId(), running.runtime());
                                        }
                                        if (sample != null) {
                                            seconds.put(report.vmId(), sample.elapsedSeconds);
                                            waiting.put(report.vmId(), sample.cpuWaitPercent);
                                            memory.put(report.vmId(), sample.memoryUsagePercent);
                                        }
                                        all.add(report);
                                    }

                                    @Override
                                    public void malformed(@Nullable VmId vmId, String reason) {
                                        throw new AssertionError(reason);
                                    }
                                });
            } catch (MalformedReport e) {
                throw new AssertionError(e);
            }
            return all;
        }

        @Override
        public void migrationProgressed(VmId vmId, int percent, @Nullable Long downtimeMillis) {
            progress.add(vmId + " " + percent);
        }

        @Override
        public void orderFailed(VmOrder order, HostFailure failure) {
            failures.add(Map.entry(order, failure));
        }

        @Override
        public void networkChanged() {
            contact.add("changed");
        }

        @Override
        public void malformed(String reason) {
            contact.add(reason);
        }

        VmReport report(Predicate<VmReport> wanted) throws InterruptedException {
            while (true) {
                VmReport next = Lab.take(reports);
                if (wanted.test(next)) {
                    return next;
                }
            }
        }

        VmReport running(VmId vm, VmStatus status) throws InterruptedException {
            return report(each ->
                    each instanceof VmReport.Running running
                            && running.vmId().equals(vm)
                            && running.runtime().status() == status);
        }

        VmReport.Exited ended(VmId vm) throws InterruptedException {
            return (VmReport.Exited)
                    report(each -> each instanceof VmReport.Exited && each.vmId().equals(vm));
        }
    }

    private final Knowing inventory = new Knowing();
    private static final Duration STANDSTILL = Duration.ofSeconds(50);

    private final Map<HostId, Said> said = new HashMap<>();
    private final Map<HostId, HostConnection> connections = new HashMap<>();
    private Lab lab;
    private XapiHosts hosts;
    private XapiPool pool;

    private void watch(String network) throws Exception {
        watch(Lab.today(network));
    }

    private void watch(Lab of) throws Exception {
        watch(of, Lab.CLOCK);
    }

    private void watch(Lab of, EngineClock clock) throws Exception {
        lab = of;
        hosts = new XapiHosts(clock, Duration.ofMinutes(5), STANDSTILL);
        ClusterId cluster = new ClusterId(VmId.parse(lab.pool.itself().text("uuid")).toUuid());
        for (Row row : lab.pool.objects("host")) {
            HostId id = HostId.parse(row.text("uuid"));
            Said listener = new Said();
            said.put(id, listener);
            connections.put(
                    id,
                    hosts.open(
                            new HostDefinition(
                                    id, row.text("name_label"), row.text("address"), 443, cluster),
                            listener));
        }
        said.values().forEach(each -> each.contact.clear()); // there was no pool
        pool = hosts.watch("p", 443, lab.connect(), inventory, PoolWatch.Sync.EVENTS, Lab.TIMES);
        for (Said each : said.values()) {
            assertThat(Lab.take(each.contact)).isEqualTo("connected");
        }
    }

    @AfterEach
    void stop() {
        hosts.close();
        lab.close();
    }

    private HostId hostOf(Row vm) {
        return HostId.parse(
                lab.pool.objects("host").stream()
                        .filter(each -> each.ref().equals(vm.text("resident_on")))
                        .findFirst()
                        .orElseThrow()
                        .text("uuid"));
    }

    private static VmId id(Row vm) {
        return VmId.parse(vm.text("uuid"));
    }

    private static <T> T answer(
            java.util.function.Consumer<java.util.function.Consumer<HostAnswer<T>>> call)
            throws InterruptedException {
        BlockingQueue<HostAnswer<T>> answers = new LinkedBlockingQueue<>();
        call.accept(answers::add);
        HostAnswer<T> answer = Lab.take(answers);
        assertThat(answer).isInstanceOf(HostAnswer.Success.class);
        return ((HostAnswer.Success<T>) answer).value();
    }

    @Test
    @DisplayName("X57 templates, snapshots and control domains are no VMs")
    void vmsOnly() throws Exception {
        watch("127.12.1");
        assertThat(pool.vms().stream().map(PoolVm::id))
                .containsExactlyInAnyOrderElementsOf(
                        lab.pool.objects("VM").stream()
                                .filter(each ->
                                        !each.flag("is_a_template")
                                                && !each.flag("is_a_snapshot")
                                                && !each.flag("is_control_domain"))
                                .map(XapiHostsTest::id)
                                .toList());
        Row running = lab.vm("Running");
        PoolVm vm = pool.vm(id(running));
        assertThat(vm.status()).isEqualTo(VmStatus.UP);
        assertThat(vm.host()).isEqualTo(hostOf(running));
        assertThat(vm.definition().name()).isEqualTo(running.text("name_label"));
        assertThat(vm.definition().nics()).hasSize(running.list("VIFs").size());
        assertThat(pool.vm(id(lab.vm("Halted"))).host()).isNull();
        int vms = pool.vms().size();
        int templates =
                (int)
                        lab.pool.objects("VM").stream()
                                .filter(each -> each.flag("is_a_template"))
                                .count();
        assertThat(pool.leftOut()).isEqualTo(new XapiPool.LeftOut(templates, 0, 3));
        lab.snapshot(running);
        await(() -> {
            lab.pools.clock().advance(Duration.ofSeconds(1));
            return pool.leftOut().snapshots() == 1;
        });
        assertThat(pool.leftOut()).isEqualTo(new XapiPool.LeftOut(templates, 1, 3));
        assertThat(pool.vms()).hasSize(vms);
    }

    @Test
    @DisplayName("X28 what comes after its VM becomes part of it, and what goes leaves it")
    void latePart() throws Exception {
        watch("127.12.2");
        Map<VmId, Integer> before =
                pool.vms().stream()
                        .collect(
                                Collectors.toMap(
                                        PoolVm::id, each -> each.definition().nics().size()));
        lab.order("vifs", "objects", "5");
        await(() ->
                pool.vms().stream()
                        .anyMatch(each -> each.definition().nics().size() > before.get(each.id())));
        lab.order("remove_vifs");
        await(() ->
                pool.vms().stream()
                        .allMatch(
                                each -> each.definition().nics().size() <= before.get(each.id())));
    }

    @Test
    @DisplayName("X28 a VM that comes before its host, interfaces and metrics is completed by them")
    void beforeItsParts() throws Exception {
        watch("127.12.34");
        Row row = lab.vm("Running");
        PoolVm whole = pool.vm(id(row));
        assertThat(whole.host()).isNotNull();
        assertThat(whole.definition().nics()).isNotEmpty();
        Map<XapiClass, Map<String, XapiRecord>> vmsOnly = new HashMap<>();
        for (XapiClass each : XapiClass.all()) {
            boolean first = each.equals(PoolObjects.VM) || each.equals(PoolObjects.POOL);
            vmsOnly.put(each, new ConcurrentHashMap<>(first ? pool.copyOf(each) : Map.of()));
        }
        Map<XapiClass, Map<String, XapiRecord>> all = new HashMap<>();
        XapiClass.all().forEach(each -> all.put(each, Map.copyOf(pool.copyOf(each))));
        pool.synced(vmsOnly);
        assertThat(pool.vm(id(row)).host()).isNull();
        assertThat(pool.vm(id(row)).definition().nics()).isEmpty();
        for (XapiClass type :
                List.of(
                        PoolObjects.VIF,
                        PoolObjects.VM_METRICS,
                        PoolObjects.GUEST_METRICS,
                        PoolObjects.HOST)) {
            all.get(type)
                    .forEach((ref, record) -> {
                        vmsOnly.get(type).put(ref, record);
                        pool.changed(List.of(new PoolListener.Change(type, ref, null, record)));
                    });
        }
        assertThat(pool.vm(id(row))).isEqualTo(whole);
    }

    private static void await(java.util.function.BooleanSupplier condition)
            throws InterruptedException {
        long end = Lab.CLOCK.nanoTime() + Duration.ofMinutes(1).toNanos();
        while (!condition.getAsBoolean()) {
            if (Lab.CLOCK.nanoTime() > end) {
                throw new AssertionError("not within a minute");
            }
            java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
        }
    }

    @Test
    @DisplayName("simultaneous changes are reported in bounded pieces, each VM once")
    void pieces() throws Exception {
        watch(Lab.today("127.12.20", 2, 700));
        int running = (int) pool.vms().stream().filter(vm -> vm.status() == VmStatus.UP).count();
        assertThat(running).isGreaterThan(XapiPool.PIECE);
        said.values().forEach(each -> each.sizes.clear());

        lab.order("freeze", "vms", Integer.toString(running));

        await(() -> sizes().stream().mapToInt(Integer::intValue).sum() >= running);
        assertThat(pool.vms().stream().filter(vm -> vm.status() == VmStatus.PAUSED))
                .hasSize(running);
        assertThat(sizes().stream().mapToInt(Integer::intValue).sum()).isEqualTo(running);
        assertThat(sizes()).as("events of two hosts").hasSizeGreaterThan(2);
        assertThat(sizes()).allMatch(size -> size <= XapiPool.PIECE);
    }

    private List<Integer> sizes() {
        return said.values().stream().flatMap(each -> each.sizes.stream()).toList();
    }

    @Test
    @DisplayName("X46 operations under way give transitional statuses, which end with them")
    void transitions() throws Exception {
        watch("127.12.3");
        Row row = lab.vm("Running");
        VmId vm = id(row);
        Said host = said.get(hostOf(row));
        lab.order("VM", row, "clean_shutdown");
        host.running(vm, VmStatus.POWERING_DOWN);
        lab.pools.clock().advance(Duration.ofSeconds(5));
        assertThat(host.ended(vm).reason()).isEqualTo(ExitReason.ADMIN_SHUTDOWN);
        assertThat(pool.vm(vm).status()).isEqualTo(VmStatus.DOWN);
        Row other = lab.vm("Running");
        Said there = said.get(hostOf(other));
        lab.order("VM", other, "suspend");
        there.running(id(other), VmStatus.SAVING_STATE);
        lab.pools.clock().advance(Duration.ofSeconds(5));
        assertThat(there.ended(id(other)).reason()).isEqualTo(ExitReason.SAVE_STATE_SUCCEEDED);
        assertThat(pool.vm(id(other)).status()).isEqualTo(VmStatus.SUSPENDED);
    }

    @Test
    @DisplayName("X27 a reboot between two batches is reported as well")
    void rebootBetweenBatches() throws Exception {
        watch("127.12.14");
        PoolVm before = pool.vm(id(lab.vm("Running")));
        PoolVm after =
                new PoolVm(
                        before.id(),
                        before.ref(),
                        before.definition(),
                        before.host(),
                        before.movingTo(),
                        before.status(),
                        before.values(),
                        before.domain() + 1,
                        before.startedAt(),
                        before.tags());
        PoolState state = new PoolState();
        state.vm(before.id(), before, new HashMap<>());
        assertThat(state.admit(List.of(before.id()))).hasSize(1);
        Map<HostId, List<PoolReports.Item>> told = new HashMap<>();
        state.vm(before.id(), after, told);
        assertThat(told.get(before.host()))
                .extracting(each -> ((PoolReports.Item.Running) each).vm().status())
                .containsExactly(VmStatus.REBOOT_IN_PROGRESS, VmStatus.UP);
    }

    @Test
    @DisplayName(
            "X44 a migration is known before both hosts report it, and a list never lacks a VM")
    void migration() throws Exception {
        watch("127.12.4");
        Row row = lab.vm("Running");
        VmId vm = id(row);
        HostId from = hostOf(row);
        Row target =
                lab.pool.objects("host").stream()
                        .filter(each -> !each.ref().equals(row.text("resident_on")))
                        .findFirst()
                        .orElseThrow();
        HostId to = HostId.parse(target.text("uuid"));
        lab.order("VM", row, "migrate", "host", target.text("uuid"));
        said.get(from).running(vm, VmStatus.MIGRATING_FROM);
        assertThat(Lab.take(inventory.moves)).isEqualTo(vm + " " + from + " " + to);
        lab.pools.clock().advance(Duration.ofSeconds(5));
        said.get(to).running(vm, VmStatus.UP);
        assertThat(said.get(from).ended(vm).reason()).isEqualTo(ExitReason.MIGRATION_SUCCEEDED);
        assertThat(listOf(from))
                .anyMatch(each -> each instanceof VmReport.Exited exit && exit.vmId().equals(vm));
        assertThat(
                        XapiHostsTest.<VmId>answer(
                                receiver -> connections.get(from).destroy(vm, receiver)))
                .isEqualTo(vm);
        assertThat(listOf(from)).noneMatch(each -> each.vmId().equals(vm));
        assertThat(listOf(to))
                .anyMatch(each ->
                        each instanceof VmReport.Running running && running.vmId().equals(vm));
    }

    /** Another client migrates a VM; its source reports that it does. */
    private Row migrating(Row vm) throws InterruptedException {
        Row target =
                lab.pool.objects("host").stream()
                        .filter(each -> !each.ref().equals(vm.text("resident_on")))
                        .findFirst()
                        .orElseThrow();
        lab.order("VM", vm, "migrate", "host", target.text("uuid"));
        VmReport _ = said.get(hostOf(vm)).running(id(vm), VmStatus.MIGRATING_FROM);
        return target;
    }

    private Row taskOf(String operation) {
        return lab.pool.objects("task").stream()
                .filter(each -> each.text("name_label").contains(operation))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("X44 the progress of a migration of any client is that of its task")
    void migrationProgress() throws Exception {
        watch("127.12.40");
        Row row = lab.vm("Running");
        HostId from = hostOf(row);
        Row _ = migrating(row);
        await(() -> {
            lab.pools.clock().advance(Duration.ofMillis(100));
            return taskOf("pool_migrate").get("progress").equals(0.5);
        });
        assertThat(Lab.take(said.get(from).progress)).isEqualTo(id(row) + " 50");
        lab.pools.clock().advance(Duration.ofSeconds(5));
        VmReport _ = said.get(from).ended(id(row));
        assertThat(said.get(from).progress).isEmpty();
    }

    @Test
    @DisplayName("X45 a migration of any client is cancelled by its task, and the VM stays")
    void cancelledMigration() throws Exception {
        watch("127.12.41");
        Row row = lab.vm("Running");
        VmId vm = id(row);
        HostId from = hostOf(row);
        VmOrder cancel = new VmOrder.CancelMigration(vm);
        BlockingQueue<HostAnswer<VmId>> answers = new LinkedBlockingQueue<>();
        connections.get(from).order(cancel, answers::add);
        assertThat(code(Lab.take(answers))).isEqualTo(RefusalCode.MIGRATION_NOT_IN_PROGRESS);
        Row _ = migrating(row);
        lab.server
                .faults()
                .add(FaultKind.ERROR, "", "task.cancel", "HANDLE_INVALID task OpaqueRef:1", 1);
        connections.get(from).order(cancel, answers::add);
        assertThat(code(Lab.take(answers)))
                .as("its task ended a moment ago")
                .isEqualTo(RefusalCode.MIGRATION_NOT_IN_PROGRESS);
        connections.get(from).order(cancel, answers::add);
        assertThat(Lab.take(answers)).isEqualTo(new HostAnswer.Success<>(vm));
        lab.pools.clock().advance(Duration.ofMillis(300));
        VmReport _ = said.get(from).running(vm, VmStatus.UP);
        lab.pools.clock().advance(Duration.ofSeconds(5));
        assertThat(taskOf("pool_migrate").text("status")).isEqualTo("cancelled");
        assertThat(pool.vm(vm).host()).isEqualTo(from);
        connections.get(from).order(cancel, answers::add);
        assertThat(code(Lab.take(answers))).isEqualTo(RefusalCode.MIGRATION_NOT_IN_PROGRESS);
    }

    private static int code(HostAnswer<?> answer) {
        assertThat(answer).isInstanceOf(HostAnswer.Failed.class);
        HostFailure failure = ((HostAnswer.Failed<?>) answer).failure();
        assertThat(failure).isInstanceOf(HostFailure.Refused.class);
        return ((HostFailure.Refused) failure).code();
    }

    private List<VmReport> listOf(HostId host) throws InterruptedException {
        VmReports list = answer(connections.get(host)::vmStatistics);
        assertThat(list.kind()).isEqualTo(VmReports.Kind.POLL);
        return said.get(host).decode(list);
    }

    @Test
    @DisplayName("X51 numbers of a host and of its VMs come from the host itself")
    void numbers() throws Exception {
        watch("127.12.5");
        lab.pools.clock().advance(Duration.ofSeconds(10));
        Row row = lab.vm("Running");
        HostId host = hostOf(row);
        HostCapabilities what = answer(connections.get(host)::capabilities);
        assertThat(what.memory().physicalMebibytes()).isPositive();
        assertThat(what.cpu().threads()).isPositive();
        HostStatistics statistics = answer(connections.get(host)::statistics);
        assertThat(statistics.cpu().userPercent()).isBetween(0.0, 100.0);
        assertThat(statistics.memory().freeMebibytes())
                .isBetween(0L, what.memory().physicalMebibytes());
        assertThat(statistics.vms().count()).isPositive();
        assertThat(statistics.nics()).isNotEmpty();
        listOf(host);
        assertThat(said.get(host).seconds).containsKey(id(row));
        assertThat(said.get(host).waiting.get(id(row)))
                .as("full contention, a share of up to 0.01")
                .isBetween(0.0, 1.0);
    }

    @Test
    @DisplayName("X56 a paused VM is listed as such, with its last memory")
    void pausedMemory() throws Exception {
        AtomicLong aheadNanos = new AtomicLong();
        watch(Lab.today("127.12.33"), ahead(aheadNanos));
        lab.pools.clock().advance(Duration.ofSeconds(10));
        Row row = lab.vm("Running");
        HostId host = hostOf(row);
        listOf(host);
        long before = said.get(host).memory.get(id(row));
        assertThat(before).isBetween(1L, 100L);
        lab.order("VM", row, "pause");
        lab.pools.clock().advance(Duration.ofSeconds(10));
        said.get(host).running(id(row), VmStatus.PAUSED);
        long _ = aheadNanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(listOf(host))
                .anyMatch(each ->
                        each instanceof VmReport.Running running
                                && running.vmId().equals(id(row))
                                && running.runtime().status() == VmStatus.PAUSED);
        assertThat(said.get(host).memory).containsEntry(id(row), before);
    }

    @Test
    @DisplayName("X52 a host's wrong clock is in its statistics, as the alert about it needs")
    void wrongClock() throws Exception {
        watch("127.12.31");
        Row right = lab.pool.objects("host").getFirst();
        Row wrong = lab.pool.objects("host").getLast();
        lab.order("host", wrong, "skew", "seconds", "-600");
        lab.pools.clock().advance(Duration.ofSeconds(10));
        Instant one = answer(connections.get(host(right))::statistics).hostClock();
        Instant other = answer(connections.get(host(wrong))::statistics).hostClock();
        assertThat(Duration.between(other, one))
                .isBetween(Duration.ofSeconds(590), Duration.ofSeconds(610));
    }

    private static HostId host(Row row) {
        return HostId.parse(row.text("uuid"));
    }

    @Test
    @DisplayName("X35 a change only of fields that are not shown causes no event")
    void noise() throws Exception {
        watch("127.12.6");
        Row row = lab.vm("Running");
        HostId host = hostOf(row);
        lab.order("storm", "changes", "50"); // memory in use
        lab.order("VM", row, "pause");
        lab.pools.clock().advance(Duration.ofSeconds(5));
        said.get(host).running(id(row), VmStatus.PAUSED);
        assertThat(said.get(host).reports).isEmpty();
    }

    @Test
    @DisplayName(
            "X41, X42 orders become tasks of the pool; what it does not allow is refused before")
    void orders() throws Exception {
        watch("127.12.7");
        Row row = lab.vm("Running");
        HostId host = hostOf(row);
        VmId vm = id(row);
        BlockingQueue<HostAnswer<VmId>> answers = new LinkedBlockingQueue<>();
        connections.get(host).order(new VmOrder.Pause(vm), answers::add);
        assertThat(Lab.take(answers)).isInstanceOf(HostAnswer.Success.class);
        lab.pools.clock().advance(Duration.ofSeconds(5));
        said.get(host).running(vm, VmStatus.PAUSED);
        await(() ->
                lab.pool.objects("task").stream()
                        .noneMatch(each -> each.text("name_label").contains("pause")));
        await(() ->
                pool.objects()
                        .find(PoolObjects.VM, row.ref())
                        .list("allowed_operations")
                        .contains("unpause"));
        connections.get(host).order(new VmOrder.Pause(vm), answers::add);
        HostAnswer.Failed<VmId> refused = (HostAnswer.Failed<VmId>) Lab.take(answers);
        assertThat(refused.failure())
                .isInstanceOfSatisfying(
                        HostFailure.Refused.class,
                        failure -> {
                            assertThat(failure.code()).isEqualTo(RefusalCode.UNEXPECTED);
                            assertThat(failure.message()).contains("paused", "unpause");
                        });
    }

    @Test
    @DisplayName("X45 a task that fails after its order was answered is a failure of the order")
    void lateFailure() throws Exception {
        watch("127.12.32");
        Row row = lab.vm("Running");
        HostId host = hostOf(row);
        BlockingQueue<HostAnswer<VmId>> answers = new LinkedBlockingQueue<>();
        VmOrder order = new VmOrder.Hibernate(id(row), "");
        connections.get(host).order(order, answers::add);
        assertThat(Lab.take(answers)).isInstanceOf(HostAnswer.Success.class);
        Row task =
                lab.pool.objects("task").stream()
                        .filter(each -> each.text("name_label").contains("VM.suspend"))
                        .findFirst()
                        .orElseThrow();
        lab.cancel(task.ref());
        await(() -> {
            lab.pools.clock().advance(Duration.ofMillis(100));
            return !said.get(host).failures.isEmpty();
        });
        Map.Entry<VmOrder, HostFailure> failure = said.get(host).failures.remove();
        assertThat(failure.getKey()).isSameAs(order);
        assertThat(failure.getValue().describe()).contains("TASK_CANCELLED");
        awaitNoTask();
    }

    /** Waits for an answer while the pool's time goes on. */
    private <T> HostAnswer<T> inTime(BlockingQueue<HostAnswer<T>> answers)
            throws InterruptedException {
        await(() -> {
            lab.pools.clock().advance(Duration.ofSeconds(1));
            return !answers.isEmpty();
        });
        return answers.remove();
    }

    private HostAnswer<VmId> ordered(HostId host, VmOrder order) throws InterruptedException {
        BlockingQueue<HostAnswer<VmId>> answers = new LinkedBlockingQueue<>();
        connections.get(host).order(order, answers::add);
        return inTime(answers);
    }

    private HostAnswer<HostId> ordered(HostId host, HostOrder order) throws InterruptedException {
        BlockingQueue<HostAnswer<HostId>> answers = new LinkedBlockingQueue<>();
        hosts.order(host, order, answers::add);
        return inTime(answers);
    }

    private static String refusal(HostAnswer<?> answer) {
        assertThat(answer).isInstanceOf(HostAnswer.Failed.class);
        return ((HostAnswer.Failed<?>) answer).failure().describe();
    }

    private void awaitNoTask() throws InterruptedException {
        await(() ->
                lab.pool.objects("task").stream()
                        .noneMatch(each -> each.text("name_label").startsWith("Async.")));
    }

    /**
     * Nothing is under way on a VM, and all its events have arrived: a restart changes neither its
     * state nor its host, but what it allows.
     */
    private boolean isKnownAsItIs(String ref) {
        Row real =
                lab.pool.objects("VM").stream()
                        .filter(each -> each.ref().equals(ref))
                        .findFirst()
                        .orElseThrow();
        XapiRecord known = pool.objects().find(PoolObjects.VM, ref);
        return real.map("current_operations").isEmpty()
                && known.map("current_operations").isEmpty()
                && known.number("domid") == real.number("domid")
                && Set.copyOf(known.list("allowed_operations"))
                        .equals(Set.copyOf(real.list("allowed_operations")));
    }

    /** An order, the method that carries it out, and the result for its VM. */
    private record Step(VmOrder order, String method, VmStatus status, HostId host) {}

    @Test
    @DisplayName(
            "X41, X42 each order is a task of its method; a race is a refusal with the expected "
                    + "and found state")
    void everyOrder() throws Exception {
        watch("127.12.11");
        Row row = lab.vm("Running");
        VmId vm = id(row);
        HostId first = hostOf(row);
        List<HostId> others = new ArrayList<>(connections.keySet());
        others.remove(first);
        HostId second = others.getFirst();
        HostId third = others.getLast();
        HostId nowhere = null;
        List<Step> steps =
                List.of(
                        new Step(new VmOrder.Pause(vm), "pause", VmStatus.PAUSED, first),
                        new Step(new VmOrder.Resume(vm), "unpause", VmStatus.UP, first),
                        new Step(
                                new VmOrder.Hibernate(vm, ""),
                                "suspend",
                                VmStatus.SUSPENDED,
                                nowhere),
                        new Step(
                                new VmOrder.Create(vm, "<domain/>"),
                                "resume_on",
                                VmStatus.UP,
                                second),
                        new Step(
                                new VmOrder.Migrate(
                                        vm,
                                        hostRow(second).text("address"),
                                        hostRow(third).text("address") + ":443",
                                        MigrationParameters.DEFAULT),
                                "pool_migrate",
                                VmStatus.UP,
                                third),
                        new Step(
                                new VmOrder.Shutdown(vm, 0, "", true, null, false),
                                "clean_reboot",
                                VmStatus.UP,
                                third),
                        new Step(new VmOrder.Reset(vm), "hard_reboot", VmStatus.UP, third),
                        new Step(
                                new VmOrder.Shutdown(vm, 0, "", false, null, false),
                                "clean_shutdown",
                                VmStatus.DOWN,
                                nowhere),
                        new Step(
                                new VmOrder.Create(vm, "<domain/>"),
                                "start_on",
                                VmStatus.UP,
                                first),
                        new Step(
                                new VmOrder.Destroy(vm, 1),
                                "hard_shutdown",
                                VmStatus.DOWN,
                                nowhere));
        HostId at = first;
        for (Step step : steps) {
            HostId asked = step.order() instanceof VmOrder.Create ? step.host() : at;
            await(() -> {
                lab.pools.clock().advance(Duration.ofSeconds(1));
                return pool.objects()
                        .find(PoolObjects.VM, row.ref())
                        .list("allowed_operations")
                        .contains(step.method());
            });
            lab.server
                    .faults()
                    .add(
                            FaultKind.ERROR,
                            "",
                            "Async.VM." + step.method(),
                            "VM_BAD_POWER_STATE " + row.ref() + " suspended paused",
                            1);
            assertThat(refusal(ordered(asked, step.order())))
                    .as(step.toString())
                    .contains("VM_BAD_POWER_STATE: expected suspended, found paused");
            assertThat(ordered(asked, step.order()))
                    .as(step.toString())
                    .isEqualTo(new HostAnswer.Success<>(vm));
            await(() -> {
                lab.pools.clock().advance(Duration.ofSeconds(1));
                PoolVm now = pool.vm(vm);
                return now.status() == step.status()
                        && Objects.equals(now.host(), step.host())
                        && isKnownAsItIs(row.ref());
            });
            at = step.host();
        }
        awaitNoTask();
    }

    @Test
    @DisplayName("X41 only an order for it drops the memory of a suspended VM")
    void savedMemory() throws Exception {
        watch("127.12.31");
        Row row = lab.vm("Running");
        VmId vm = id(row);
        HostId host = hostOf(row);
        assertThat(refusal(dropped(vm))).contains("not suspended");
        lab.order("VM", row, "suspend");
        await(() -> {
            lab.pools.clock().advance(Duration.ofSeconds(1));
            return pool.vm(vm).status() == VmStatus.SUSPENDED && isKnownAsItIs(row.ref());
        });
        assertThat(hosts.refusal(vm, OperationKind.POWER_OFF)).isNull();
        assertThat(ordered(host, new VmOrder.Destroy(vm, 1)))
                .as("a late order is for the process that was on the host")
                .isEqualTo(new HostAnswer.Success<>(vm));
        lab.pools.clock().advance(Duration.ofSeconds(10));
        assertThat(pool.vm(vm).status()).isEqualTo(VmStatus.SUSPENDED);

        assertThat(dropped(vm)).isEqualTo(new HostAnswer.Success<>(vm));
        await(() -> {
            lab.pools.clock().advance(Duration.ofSeconds(1));
            return pool.vm(vm).status() == VmStatus.DOWN;
        });
        assertThat(dropped(vm)).as("once more").isEqualTo(new HostAnswer.Success<>(vm));
        assertThat(refusal(dropped(VmId.of(new UUID(9, 9))))).contains("no watched pool");
        awaitNoTask();
    }

    private HostAnswer<VmId> dropped(VmId vm) throws InterruptedException {
        BlockingQueue<HostAnswer<VmId>> answers = new LinkedBlockingQueue<>();
        hosts.dropMemory(vm, answers::add, _ -> {});
        return inTime(answers);
    }

    @Test
    @DisplayName("X42 what a VM at rest does not allow is known before the call")
    void knownRefusals() throws Exception {
        watch("127.12.12");
        Row halted = lab.vm("Halted");
        assertThat(hosts.refusal(id(halted), OperationKind.SUSPEND))
                .contains("does not allow suspend", "halted", "start_on");
        assertThat(hosts.refusal(id(halted), OperationKind.RUN)).isNull();
        assertThat(hosts.refusal(id(halted), OperationKind.REMOVE_VM)).contains("delete it there");
        Row running = lab.vm("Running");
        assertThat(hosts.refusal(id(running), OperationKind.SUSPEND)).isNull();
        assertThat(hosts.refusal(id(running), OperationKind.CANCEL_MIGRATION)).isNull();
        assertThat(hosts.refusal(id(running), OperationKind.CONSOLE_TICKET))
                .isEqualTo("the VM is one of the XAPI pool p: open its console there");
        for (OperationKind kind :
                List.of(
                        OperationKind.CHANGE_CD,
                        OperationKind.PLUG_DEVICE,
                        OperationKind.UNPLUG_DEVICE)) {
            assertThat(hosts.refusal(id(running), kind)).contains("pool p", "change its", "there");
        }
        assertThat(hosts.refusal(id(running), OperationKind.RESUME)).contains("unpause");
        lab.order("VM", running, "suspend"); // now the pool itself decides
        await(() -> pool.vm(id(running)).status() == VmStatus.SAVING_STATE);
        assertThat(hosts.refusal(id(running), OperationKind.PAUSE)).isNull();
        BlockingQueue<HostAnswer<VmId>> answers = new LinkedBlockingQueue<>();
        connections.get(hostOf(running)).order(new VmOrder.Pause(id(running)), answers::add);
        assertThat(refusal(Lab.take(answers)))
                .contains("OTHER_OPERATION_IN_PROGRESS: suspend is under way");
    }

    @Test
    @DisplayName(
            "X41 a pool disables, evacuates and enables its hosts by tasks, or gives the reason")
    void hostOrders() throws Exception {
        watch("127.12.13");
        HostId host = hostOf(lab.vm("Running"));
        lab.server
                .faults()
                .add(
                        FaultKind.ERROR,
                        "",
                        "Async.host.disable",
                        "HA_OPERATION_WOULD_BREAK_FAILOVER_PLAN",
                        1);
        assertThat(refusal(ordered(host, HostOrder.DISABLE)))
                .contains("HA_OPERATION_WOULD_BREAK_FAILOVER_PLAN");
        assertThat(hostRow(host).flag("enabled")).isTrue();
        assertThat(ordered(host, HostOrder.DISABLE)).isEqualTo(new HostAnswer.Success<>(host));
        assertThat(hostRow(host).flag("enabled")).isFalse();
        await(() -> !pool.host(host).enabled());
        assertThat(ordered(host, HostOrder.DISABLE)).isEqualTo(new HostAnswer.Success<>(host));
        VmId halted = id(lab.vm("Halted"));
        assertThat(refusal(ordered(host, new VmOrder.Create(halted, "<domain/>"))))
                .contains("HOST_DISABLED");
        assertThat(ordered(host, HostOrder.EVACUATE)).isEqualTo(new HostAnswer.Success<>(host));
        assertThat(hostRow(host).list("resident_VMs"))
                .containsExactly(hostRow(host).text("control_domain"));
        await(() -> pool.vms().stream().noneMatch(each -> host.equals(each.host())));
        assertThat(ordered(host, HostOrder.ENABLE)).isEqualTo(new HostAnswer.Success<>(host));
        assertThat(hostRow(host).flag("enabled")).isTrue();
        awaitNoTask();
        for (HostId each : connections.keySet()) {
            if (!each.equals(host)) {
                lab.order("host", hostRow(each), "disable");
                lab.pools.clock().advance(Duration.ofSeconds(5));
            }
        }
        HostId full = hostOf(lab.vm("Running"));
        lab.order("host", hostRow(host), "disable");
        lab.pools.clock().advance(Duration.ofSeconds(5));
        assertThat(refusal(ordered(full, HostOrder.EVACUATE)))
                .contains("CANNOT_EVACUATE_HOST", lab.vm("Running").text("name_label"))
                .doesNotContain("OpaqueRef:");
        assertThat(hostRow(full).map("current_operations")).isEmpty();
    }

    @Test
    @DisplayName("X14 a refusal of the engine's password by a pool is reported once")
    void refusedPassword() throws Exception {
        watch("127.12.15");
        lab.server
                .faults()
                .add(
                        FaultKind.ERROR,
                        "",
                        "session.login_with_password",
                        "SESSION_AUTHENTICATION_FAILED root",
                        0);
        lab.order("end_sessions");
        assertThat(Lab.take(inventory.refusals)).isEqualTo("SESSION_AUTHENTICATION_FAILED");
        await(() -> pool.trouble() != null);
        assertThat(pool.trouble()).contains("SESSION_AUTHENTICATION_FAILED");
        assertThat(inventory.refusals).isEmpty();
    }

    @Test
    @DisplayName("a host is disabled for the engine as soon as its pool reports it, and in contact")
    void disabledOutside() throws Exception {
        watch("127.12.16");
        HostId host = hostOf(lab.vm("Running"));
        lab.order("host", hostRow(host), "disable");
        lab.pools.clock().advance(Duration.ofSeconds(5));
        await(() -> !pool.host(host).enabled());
        await(() -> !inventory.looks.isEmpty());
        inventory.looks.clear();
        assertThat(listOf(host)).isNotEmpty();
        assertThat(inventory.looks).as("asked for by a list of its VMs").isNotEmpty();
        lab.order("host", hostRow(host), "enable");
        lab.pools.clock().advance(Duration.ofSeconds(5));
        await(() -> pool.host(host).enabled());
    }

    @Test
    @DisplayName("X35 a host that its pool hears of no more, and hears of again, is seen so")
    void heardOf() throws Exception {
        watch("127.12.17");
        HostId host = HostId.parse(lab.pool.hostAt(lab.addresses.get(2)).text("uuid"));
        assertThat(pool.host(host).live()).isTrue();
        lab.order("host", hostRow(host), "kill");
        lab.pools.clock().advance(Duration.ofMinutes(11));
        await(() -> !pool.host(host).live());
        lab.order("host", hostRow(host), "revive");
        lab.pools.clock().advance(Duration.ofSeconds(5));
        await(() -> pool.host(host).live());
        assertThat(pool.hosts()).allMatch(PoolHost::live).hasSize(3);
    }

    @Test
    @DisplayName("X54 a host without metrics is there; one that does not answer is not")
    void silence() throws Exception {
        watch("127.12.8");
        Row row = lab.vm("Running");
        HostId host = hostOf(row);
        String address = hostRow(host).text("address");
        var fault =
                lab.server
                        .faults()
                        .add(FaultKind.HTTP_STATUS, address, "GET /rrd_updates", "503", 0);
        assertThat(listOf(host)).isNotEmpty();
        assertThat(said.get(host).seconds).isEmpty();
        assertThat(lab.server.faults().remove(fault.id())).isTrue();
        lab.order("host", hostRow(host), "kill");
        await(() -> {
            BlockingQueue<HostAnswer<HostStatistics>> answers = new LinkedBlockingQueue<>();
            connections.get(host).statistics(answers::add);
            try {
                return Lab.take(answers)
                                instanceof HostAnswer.Failed<HostStatistics>(HostFailure why)
                        && why instanceof HostFailure.Unreachable;
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
    }

    @Test
    @DisplayName("X54 a host that answers for minutes without a new row has no present numbers")
    void standstill() throws Exception {
        AtomicLong aheadNanos = new AtomicLong();
        watch(Lab.today("127.12.23"), ahead(aheadNanos));
        lab.pools.clock().advance(Duration.ofSeconds(10));
        HostId host = hostOf(lab.vm("Running"));
        assertThat(statistics(host).hostClock()).isNotNull();
        long _ = aheadNanos.addAndGet(Duration.ofSeconds(30).toNanos());
        assertThat(statistics(host).hostClock()).as("after half a minute").isNotNull();

        long _ = aheadNanos.addAndGet(STANDSTILL.toNanos());
        HostStatistics old = statistics(host);
        assertThat(old.hostClock()).isNull();
        assertThat(old.cpu().userPercent()).isNull();
        assertThat(old.vms().count()).as("from the pool").isPositive();
        assertThat(listOf(host)).isNotEmpty();
        assertThat(said.get(host).seconds).isEmpty();

        lab.pools.clock().advance(Duration.ofSeconds(10));
        long _ = aheadNanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(statistics(host).cpu().userPercent()).isNotNull();
        assertThat(listOf(host)).isNotEmpty();
        assertThat(said.get(host).seconds).isNotEmpty();
    }

    /** The machine's clock with more time passed. */
    private static EngineClock ahead(AtomicLong nanos) {
        return new EngineClock() {
            @Override
            public long nanoTime() {
                return Lab.CLOCK.nanoTime() + nanos.get();
            }

            @Override
            public Instant now() {
                return Lab.CLOCK.now().plusNanos(nanos.get());
            }
        };
    }

    private HostStatistics statistics(HostId host) throws InterruptedException {
        return answer(connections.get(host)::statistics);
    }

    @Test
    @DisplayName("X55 a host that does not answer does not delay the others")
    void slowHost() throws Exception {
        watch("127.12.10");
        List<HostId> all = List.copyOf(connections.keySet());
        HostId slow = all.getFirst();
        var fault =
                lab.server
                        .faults()
                        .add(
                                FaultKind.SILENCE,
                                hostRow(slow).text("address"),
                                "GET /rrd_updates",
                                "",
                                0);
        BlockingQueue<HostAnswer<VmReports>> late = new LinkedBlockingQueue<>();
        connections.get(slow).vmStatistics(late::add);
        for (HostId other : all) {
            if (!other.equals(slow)) {
                listOf(other);
            }
        }
        assertThat(late).isEmpty();
        assertThat(lab.server.faults().remove(fault.id())).isTrue();
        assertThat(Lab.take(late)).isNotNull();
    }

    private Row hostRow(HostId host) {
        return lab.pool.objects("host").stream()
                .filter(each -> each.text("uuid").equals(host.toString()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName(
            "X60 a host missing in its pool is reported as missing, and is there when the pool "
                    + "has it")
    void withoutPool() throws Exception {
        watch("127.12.9");
        Said stranger = new Said();
        HostConnection _ =
                hosts.open(
                        new HostDefinition(
                                HostId.parse("11111111-2222-4333-8444-555555555555"),
                                "stranger",
                                "192.0.2.1",
                                443,
                                pool.cluster()),
                        stranger);
        assertThat(Lab.take(stranger.contact)).contains("pool p does not have it");
    }

    @Test
    @DisplayName("X60 a host that its pool forgot, and has again, is connected again")
    void hostCameBack() throws Exception {
        watch("127.12.18");
        Map<XapiClass, Map<String, XapiRecord>> all = new HashMap<>();
        for (XapiClass each : XapiClass.all()) {
            all.put(each, Map.copyOf(pool.copyOf(each)));
        }
        Map<String, XapiRecord> hostRows = all.get(PoolObjects.HOST);
        Row row = lab.pool.hostAt(lab.addresses.get(2));
        Said heard = said.get(HostId.parse(row.text("uuid")));
        Map<String, XapiRecord> others = new HashMap<>(hostRows);
        XapiRecord forgotten = others.remove(row.ref());
        Map<XapiClass, Map<String, XapiRecord>> without = new HashMap<>(all);
        without.put(PoolObjects.HOST, others);
        pool.synced(without);
        assertThat(Lab.take(heard.contact)).contains("pool p does not have it any more");
        Map<String, XapiRecord> anew = new HashMap<>(others);
        anew.put("OpaqueRef:anew", forgotten);
        Map<XapiClass, Map<String, XapiRecord>> with = new HashMap<>(all);
        with.put(PoolObjects.HOST, anew);
        pool.synced(with);
        assertThat(Lab.take(heard.contact)).isEqualTo("connected");
        assertThat(heard.contact).as("once").isEmpty();
    }
}
