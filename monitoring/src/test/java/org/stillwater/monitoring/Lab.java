package org.stillwater.monitoring;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Consumer;
import org.stillwater.core.connection.HostAnswer;
import org.stillwater.core.definition.VmNic;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.store.StoredVm;
import org.stillwater.core.store.Stores;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmPlacement;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.testkit.ScriptedConnector;
import org.stillwater.testkit.ScriptedHost;
import org.stillwater.testkit.ScriptedReports;
import org.stillwater.testkit.VirtualClock;
import org.stillwater.testkit.memory.InMemoryAuditStore;
import org.stillwater.testkit.memory.InMemoryClusterStore;
import org.stillwater.testkit.memory.InMemoryDeviceStore;
import org.stillwater.testkit.memory.InMemoryExternalDataStore;
import org.stillwater.testkit.memory.InMemoryHistoryStore;
import org.stillwater.testkit.memory.InMemoryHostStore;
import org.stillwater.testkit.memory.InMemoryJobStore;
import org.stillwater.testkit.memory.InMemoryLunStore;
import org.stillwater.testkit.memory.InMemoryNumaStore;
import org.stillwater.testkit.memory.InMemoryStatisticsStore;
import org.stillwater.testkit.memory.InMemoryVmStore;

/** An engine on scripted hosts, stores in memory and a clock that a test moves. */
final class Lab {

    static final HostId ALPHA = hostId(1);
    static final HostId BETA = hostId(2);
    static final VmId VM = vmId(1);
    static final VmId OTHER = vmId(2);
    static final String MAC = "56:6f:00:00:00:01";

    final VirtualClock clock = new VirtualClock();
    final InMemoryVmStore vms = new InMemoryVmStore();
    final InMemoryDeviceStore devices = new InMemoryDeviceStore(vms);
    final InMemoryExternalDataStore externalData = new InMemoryExternalDataStore(vms);
    final InMemoryHostStore hosts = new InMemoryHostStore(vms);
    final InMemoryAuditStore audit = new InMemoryAuditStore();
    final InMemoryJobStore jobs = new InMemoryJobStore(this::savedStatus);
    final InMemoryLunStore luns = new InMemoryLunStore();
    final InMemoryNumaStore numa = new InMemoryNumaStore();
    final InMemoryStatisticsStore statistics = new InMemoryStatisticsStore();
    final InMemoryClusterStore clusters = new InMemoryClusterStore(hosts::refersTo);
    final InMemoryHistoryStore history = new InMemoryHistoryStore();
    final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    final ScriptedConnector connector = new ScriptedConnector(clock);

    /** Without dumps of statistics: they are no part of any cycle. */
    MonitoringSettings settings = MonitoringSettings.DEFAULT.withDumpInterval(Duration.ZERO);

    MonitoringEngine engine = newEngine();

    static HostId hostId(int n) {
        return new HostId(new UUID(0x1000, n));
    }

    static VmId vmId(int n) {
        return new VmId(0x2000, n);
    }

    private VmStatus savedStatus(VmId id) {
        StoredVm vm = vms.vm(id);
        return vm == null ? null : vm.runtime().status();
    }

    private MonitoringEngine newEngine() {
        return new MonitoringEngine(
                settings,
                connector,
                new Stores(
                        hosts,
                        vms,
                        devices,
                        externalData,
                        audit,
                        jobs,
                        luns,
                        numa,
                        statistics,
                        clusters,
                        history),
                clock,
                meters);
    }

    Lab with(MonitoringSettings other) {
        settings = other;
        engine = newEngine();
        return this;
    }

    static HostDefinition definition(HostId id) {
        String name = "host" + id.value().getLeastSignificantBits();
        return new HostDefinition(id, name, name + ".example", 54321);
    }

    Lab storedHosts(HostId... ids) {
        for (HostId id : ids) {
            hosts.put(definition(id), HostStatus.UP);
        }
        return this;
    }

    Lab storedVm(VmId id, HostId host, VmStatus status) {
        vms.put(
                new StoredVm(
                        id,
                        defined(id, VmOrigin.OVIRT),
                        VmRuntime.INITIAL.with(RuntimeField.STATUS, status),
                        VmPlacement.on(host)));
        return this;
    }

    static VmStatic defined(VmId id, VmOrigin origin) {
        return new VmStatic(
                "vm" + id.leastSignificantBits(),
                origin,
                false,
                2048,
                1024,
                2,
                2,
                1,
                List.of(new VmNic(new UUID(3, 1), "nic1", MAC, null, 1000)));
    }

    /** Starts the engine and brings every stored host up, with empty-handed polls still waiting. */
    Lab started() throws StoreUnavailable {
        engine.startWithoutThreads();
        clock.advance(settings.hosts().connectSpread());
        engine.pump();
        for (HostId id : new LinkedHashSet<>(connector.opened())) {
            connect(id);
        }
        return this;
    }

    /** A new life of the engine on the same database. */
    Lab restarted() throws StoreUnavailable {
        engine.close();
        engine = newEngine();
        return started();
    }

    Lab connect(HostId id) {
        ScriptedHost host = host(id);
        host.connect();
        pump();
        host.answerCapabilities("boot-1");
        pump();
        host.answerStatistics();
        return pump();
    }

    ScriptedHost host(HostId id) {
        return connector.host(id);
    }

    Lab pump() {
        while (engine.pump()) {
            // until nothing is left to do
        }
        return this;
    }

    /** Lets the writers' lingers pass and everything be written, what was audited last of all. */
    Lab settle() {
        pump();
        clock.advance(Duration.ofMillis(50));
        pump();
        if (engine.health().audit().waiting() > 0) {
            clock.advance(Duration.ofMillis(50));
            pump();
        }
        return this;
    }

    /** Answers the poll that waits. */
    Lab answer(HostId id, Consumer<ScriptedReports> content) {
        ScriptedHost host = host(id);
        ScriptedReports reports = ScriptedReports.poll(host.oldestPollNanos());
        content.accept(reports);
        host.answerPoll(reports);
        return pump();
    }

    /** Lets the next cycle come and answers its poll. */
    Lab cycle(HostId id, Consumer<ScriptedReports> content) {
        clock.advance(settings.hosts().interval());
        pump();
        host(id).answerStatistics();
        return answer(id, content).settle();
    }

    Lab event(HostId id, Consumer<ScriptedReports> content) {
        clock.advance(Duration.ofMillis(1));
        ScriptedReports reports = ScriptedReports.event(clock.nanoTime());
        content.accept(reports);
        host(id).listener().vmsChanged(reports);
        clock.advance(Duration.ofNanos(1)); // calls that follow from it are made later
        return pump();
    }

    /** Answers the next call for domain XML, if there is one. */
    boolean answerDomainsIfAsked(HostId id) {
        if (host(id).domainCallsWaiting() == 0) {
            return false;
        }
        answerDomains(id, "");
        return true;
    }

    /** Answers the next call for domain XML, with a plain domain for each VM. */
    List<VmId> answerDomains(HostId id, String extraDevice) {
        ScriptedHost.DomainCall call =
                Objects.requireNonNull(host(id).nextDomainCall(), "no call for domain XML");
        Map<VmId, String> xmls = new HashMap<>();
        call.vms().forEach(vm -> xmls.put(vm, domainXml(vm, extraDevice)));
        call.receiver().accept(new HostAnswer.Success<>(xmls));
        settle();
        return call.vms();
    }

    /** Answers the next call for domain XML, with domains of this name. */
    void answerDomainsNamed(HostId id, String name) {
        ScriptedHost.DomainCall call =
                Objects.requireNonNull(host(id).nextDomainCall(), "no call for domain XML");
        Map<VmId, String> xmls = new HashMap<>();
        call.vms()
                .forEach(vm ->
                        xmls.put(
                                vm,
                                domainXml(vm, "").replaceFirst("<name>[^<]*", "<name>" + name)));
        call.receiver().accept(new HostAnswer.Success<>(xmls));
        settle();
    }

    static String domainXml(VmId vm, String extraDevice) {
        return """
        <domain type='kvm'>
          <name>found-%s</name>
          <uuid>%s</uuid>
          <memory unit='KiB'>1048576</memory>
          <vcpu>2</vcpu>
          <devices>
            <interface type='bridge'>
              <mac address='%s'/>
              <model type='virtio'/>
              <alias name='ua-00000000-0000-0000-0000-0000000000a1'/>
              <address type='pci' domain='0x0000' bus='0x01' slot='0x00' function='0x0'/>
            </interface>
            %s
          </devices>
        </domain>
        """
                .formatted(vm.leastSignificantBits(), vm, MAC, extraDevice);
    }

    VmView vm(VmId id) {
        return Objects.requireNonNull(engine.fleet().vm(id), "unknown VM");
    }

    VmStatus status(VmId id) {
        return vm(id).state().runtime().status();
    }

    HostId owner(VmId id) {
        return vm(id).state().placement().runOn();
    }

    HostStatus hostStatus(HostId id) {
        return Objects.requireNonNull(engine.fleet().host(id)).state().status();
    }

    int sqlCalls() {
        return vms.calls()
                + hosts.calls()
                + devices.calls()
                + externalData.calls()
                + audit.calls()
                + jobs.calls()
                + luns.calls()
                + numa.calls()
                + clusters.calls();
    }

    double counter(String name, String... tags) {
        return meters.get(name).tags(tags).counter().count();
    }

    static Consumer<VmRuntime.Draft> status(VmStatus status) {
        return draft -> draft.set(RuntimeField.STATUS, status);
    }
}
