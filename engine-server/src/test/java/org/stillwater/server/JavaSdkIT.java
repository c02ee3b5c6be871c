package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ovirt.engine.sdk4.Connection;
import org.ovirt.engine.sdk4.ConnectionBuilder;
import org.ovirt.engine.sdk4.builders.Builders;
import org.ovirt.engine.sdk4.services.HostService;
import org.ovirt.engine.sdk4.services.SystemService;
import org.ovirt.engine.sdk4.services.VmNicService;
import org.ovirt.engine.sdk4.services.VmService;
import org.ovirt.engine.sdk4.services.VmsService;
import org.ovirt.engine.sdk4.types.Api;
import org.ovirt.engine.sdk4.types.Cluster;
import org.ovirt.engine.sdk4.types.DataCenterStatus;
import org.ovirt.engine.sdk4.types.Disk;
import org.ovirt.engine.sdk4.types.DiskAttachment;
import org.ovirt.engine.sdk4.types.Event;
import org.ovirt.engine.sdk4.types.Host;
import org.ovirt.engine.sdk4.types.HostNic;
import org.ovirt.engine.sdk4.types.HostStatus;
import org.ovirt.engine.sdk4.types.Job;
import org.ovirt.engine.sdk4.types.LogSeverity;
import org.ovirt.engine.sdk4.types.Network;
import org.ovirt.engine.sdk4.types.Nic;
import org.ovirt.engine.sdk4.types.NicInterface;
import org.ovirt.engine.sdk4.types.Snapshot;
import org.ovirt.engine.sdk4.types.SnapshotType;
import org.ovirt.engine.sdk4.types.Statistic;
import org.ovirt.engine.sdk4.types.StorageDomain;
import org.ovirt.engine.sdk4.types.Template;
import org.ovirt.engine.sdk4.types.Vm;
import org.ovirt.engine.sdk4.types.VmStatus;
import org.ovirt.engine.sdk4.types.VnicProfile;

/** The Java SDK accepts the engine: every service that is served, actions and errors. */
class JavaSdkIT {

    private static final String NOBODY = "00000000-0000-0000-0000-0000000000ff";
    private static final long MEBIBYTE = 1 << 20;

    @TempDir static Path folder;
    private static SdkFleet fleet;
    private static Connection connection;
    private static SystemService system;

    @BeforeAll
    static void start() throws Exception {
        fleet = SdkFleet.start(folder, Tls.arguments(folder));
        connection = connect().password(RunningEngine.PASSWORD).build();
        system = connection.systemService();
    }

    @AfterAll
    static void stop() throws Exception {
        connection.close();
        fleet.close();
    }

    private static ConnectionBuilder connect() throws Exception {
        ConnectionBuilder builder =
                ConnectionBuilder.connection().url(fleet.url()).user("admin@internal");
        return Tls.trusted(builder, folder);
    }

    private static VmsService vms() {
        return system.vmsService();
    }

    private static List<Vm> find(String search) {
        return vms().list().search(search).send().vms();
    }

    private static VmStatus status(VmService vm) {
        return vm.get().send().vm().status();
    }

    private static void until(BooleanSupplier holds, String what) {
        RunningEngine.await(holds, () -> what);
    }

    private static void refused(int code, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOf(org.ovirt.engine.sdk4.Error.class)
                .hasMessageContaining(Integer.toString(code));
    }

    @Test
    void theConnectionIsAcceptedAndTheRootRead() {
        assertThat(connection.validate()).isTrue();
        Api api = system.get().send().api();
        assertThat(api.productInfo().version().major()).isEqualTo(BigInteger.valueOf(4));
        assertThat(api.productInfo().version().fullVersionPresent()).isTrue();
        assertThat(api.specialObjects().blankTemplate().id()).isNotEmpty();
        assertThat(api.summary().vms().total().intValueExact()).isGreaterThan(SdkFleet.DEFINED);
        assertThat(api.time()).isNotNull();
    }

    @Test
    void vmsAreReadWithAllThatBelongsToThem() {
        Vm vm =
                vms().list()
                        .search("status=up")
                        .max(5)
                        .follow("statistics")
                        .send()
                        .vms()
                        .getFirst();
        assertThat(vm.statistics()).hasSize(16);
        assertThat(vm.creationTime()).isNotNull();
        assertThat(vm.startTime()).isNotNull();
        assertThat(vm.descriptionPresent()).isTrue();
        assertThat(vm.commentPresent()).isTrue();
        assertThat(vm.cpu().topology().cores()).isPositive();
        assertThat(vm.memoryPolicy().guaranteed()).isPositive();
        assertThat(vm.os().typePresent()).isTrue();
        assertThat(connection.followLink(vm.cluster()).namePresent()).isTrue();
        assertThat(connection.followLink(vm.host()).namePresent()).isTrue();
        assertThat(connection.followLink(vm.template()).namePresent()).isTrue();
        VmService service = vms().vmService(vm.id());
        Statistic first = service.statisticsService().list().send().statistics().getFirst();
        assertThat(first.name()).isEqualTo("memory.installed");
        assertThat(first.values().getFirst().datum().toBigInteger()).isEqualTo(vm.memory());
        for (Nic nic : service.nicsService().list().send().nics()) {
            assertThat(nic.mac().address()).isNotEmpty();
            assertThat(service.nicsService().nicService(nic.id()).get().send().nic().name())
                    .isEqualTo(nic.name());
        }
        List<Snapshot> snapshots = service.snapshotsService().list().send().snapshots();
        assertThat(snapshots.getFirst().snapshotType()).isEqualTo(SnapshotType.ACTIVE);
        for (DiskAttachment each : service.diskAttachmentsService().list().send().attachments()) {
            assertThat(connection.followLink(each.disk()).id()).isEqualTo(each.id());
        }
        assertThat(service.reportedDevicesService().list().send().reportedDevice()).isNotNull();
        assertThat(service.graphicsConsolesService().list().send().consoles()).isNotNull();
        assertThat(service.numaNodesService().list().send().nodes()).isNotNull();
        assertThat(service.cdromsService().list().send().cdroms()).isNotNull();
    }

    @Test
    void searchesAreUnderstood() {
        List<Vm> down = find("status=down sortby name desc");
        assertThat(down)
                .extracting(Vm::name)
                .contains("defined3")
                .isSortedAccordingTo((a, b) -> b.compareTo(a));
        assertThat(find("name=defined* and status=up or name=defined1"))
                .extracting(Vm::name)
                .contains("defined1");
        assertThat(find("name=\"defined2\"")).hasSize(1);
        assertThat(find("no such field=1")).isEmpty();
        assertThat(vms().list().search("sortby name page 2").max(3).send().vms()).hasSize(3);
        Vm up = find("status=up").getFirst();
        String host = connection.followLink(up.host()).name();
        assertThat(find("host=" + host)).extracting(Vm::id).contains(up.id());
        assertThat(find("hosts.name=" + host)).extracting(Vm::id).contains(up.id());
    }

    @Test
    void hostsAreReadWithAllThatBelongsToThem() {
        Host host = system.hostsService().list().search("status=up").send().hosts().getFirst();
        assertThat(host.cpu().speed()).isPositive();
        assertThat(host.memory()).isPositive();
        assertThat(host.summary().totalPresent()).isTrue();
        HostService service = system.hostsService().hostService(host.id());
        assertThat(service.statisticsService().list().send().statistics())
                .hasSizeGreaterThanOrEqualTo(13);
        for (HostNic nic : service.nicsService().list().send().nics()) {
            assertThat(nic.namePresent()).isTrue();
        }
        assertThat(service.numaNodesService().list().send().nodes()).isNotNull();
        assertThat(connection.followLink(host.cluster()).namePresent()).isTrue();
    }

    @Test
    void everythingElseIsRead() {
        Cluster cluster = system.clustersService().list().send().clusters().getFirst();
        assertThat(cluster.version().majorPresent()).isTrue();
        assertThat(connection.followLink(cluster.dataCenter()).status())
                .isEqualTo(DataCenterStatus.UP);
        assertThat(system.dataCentersService().list().send().dataCenters()).isNotEmpty();
        for (StorageDomain each : system.storageDomainsService().list().send().storageDomains()) {
            assertThat(each.externalStatusPresent() || each.statusPresent()).isTrue();
        }
        for (Disk each : system.disksService().list().max(5).send().disks()) {
            assertThat(each.provisionedSizePresent()).isTrue();
        }
        assertThat(system.templatesService().list().send().templates())
                .extracting(Template::id)
                .contains("00000000-0000-0000-0000-000000000000");
        for (Network each : system.networksService().list().send().networks()) {
            assertThat(each.dataCenter().id()).isNotEmpty();
        }
        assertThat(system.vmPoolsService().list().send().pools()).isNotNull();
        assertThat(system.usersService().list().send().users()).isNotEmpty();
        assertThat(system.rolesService().list().send().roles()).isNotNull();
        assertThat(system.tagsService().list().send().tags()).isNotNull();
        assertThat(system.operatingSystemsService().list().send().operatingSystem()).isNotNull();
        List<Event> events = system.eventsService().list().max(5).send().events();
        assertThat(events).isNotEmpty();
        for (Event event : events) {
            assertThat(event.index()).isNotNull();
            assertThat(event.time()).isNotNull();
            assertThat(event.severity()).isNotNull();
        }
        assertThat(
                        system.eventsService()
                                .eventService(events.getFirst().id())
                                .get()
                                .send()
                                .event()
                                .code())
                .isEqualTo(events.getFirst().code());
    }

    /** Every path of the reference page for which the SDK has a service is read by it. */
    @Test
    void everyServiceIsReached() throws Exception {
        SdkServices services = new SdkServices();
        services.walk(system, "", 0);
        assertThat(services.wrong()).isEmpty();
        Set<String> lists = new TreeSet<>();
        for (String line : Files.readAllLines(Path.of("..", "docs", "reference", "ovirt-api.md"))) {
            if (line.startsWith("| `/") && !line.contains("/{id}` |")) {
                lists.add(line.substring(3, line.indexOf('`', 3)));
            }
        }
        lists.removeAll(services.reached());
        lists.removeIf(list -> {
            int item = list.lastIndexOf("/{id}");
            return item >= 0 && !services.reached().contains(list.substring(0, item + 5));
        });
        assertThat(lists)
                .as("served, and without a service in the SDK")
                .containsExactlyInAnyOrder(
                        "/",
                        "/options",
                        "/clusters/{id}/openstacknetworkproviders",
                        "/datacenters/{id}/clusters/{id}/openstacknetworkproviders",
                        "/templates/{id}/mediateddevices",
                        "/vms/{id}/mediateddevices",
                        "/vms/{id}/snapshots/{id}/disks/{id}/permissions",
                        "/vms/{id}/snapshots/{id}/disks/{id}/statistics",
                        "/vms/{id}/snapshots/{id}/nics/{id}/networkfilterparameters",
                        "/vms/{id}/snapshots/{id}/nics/{id}/reporteddevices",
                        "/vms/{id}/snapshots/{id}/nics/{id}/statistics");
    }

    @Test
    void aVmIsStartedSuspendedMigratedAndStopped() {
        VmService vm = vms().vmService(find("name=defined0").getFirst().id());
        vm.start().send();
        assertThat(status(vm)).isNotEqualTo(VmStatus.DOWN);
        until(() -> status(vm) == VmStatus.UP, "started");
        refused(409, () -> vm.start().send());
        vm.suspend().send();
        until(() -> status(vm) == VmStatus.SUSPENDED, "suspended");
        vm.start().send();
        until(() -> status(vm) == VmStatus.UP, "resumed");
        String before = vm.get().send().vm().host().id();
        vm.migrate().send();
        until(
                () -> {
                    Vm now = vm.get().send().vm();
                    return now.status() == VmStatus.UP && !now.host().id().equals(before);
                },
                "migrated");
        assertThat(vm.ticket().send().ticket().value()).hasSize(8);
        vm.reboot().async(false).send();
        until(() -> status(vm) == VmStatus.UP, "rebooted");
        vm.shutdown().send();
        until(() -> status(vm) == VmStatus.DOWN, "shut down");
        vm.start().async(false).send();
        until(() -> status(vm) == VmStatus.UP, "up again");
        vm.stop().send();
        until(() -> status(vm) == VmStatus.DOWN, "stopped");
        List<Job> jobs = system.jobsService().list().send().jobs();
        assertThat(jobs).isNotEmpty();
        Job job = connection.followLink(jobs.getFirst());
        assertThat(job.statusPresent()).isTrue();
        assertThat(system.jobsService().jobService(job.id()).stepsService().list().send().steps())
                .isNotEmpty();
    }

    @Test
    void aHostIsSetAsideAndComesBack() {
        HostService host =
                system.hostsService()
                        .hostService(
                                system.hostsService()
                                        .list()
                                        .search("sortby name desc")
                                        .send()
                                        .hosts()
                                        .getFirst()
                                        .id());
        host.deactivate().reason("test").send();
        until(() -> host.get().send().host().status() == HostStatus.MAINTENANCE, "in maintenance");
        host.activate().send();
        until(() -> host.get().send().host().status() == HostStatus.UP, "up again");
        refused(409, () -> host.activate().send());
        refused(400, () -> host.fence().send());
    }

    @Test
    void aVmIsAddedChangedAndRemoved() {
        Vm added =
                vms().add()
                        .vm(
                                Builders.vm()
                                        .name("added")
                                        .memory(512 * MEBIBYTE)
                                        .cluster(Builders.cluster().name(clusterName()))
                                        .template(Builders.template().name("Blank")))
                        .send()
                        .vm();
        assertThat(added.name()).isEqualTo("added");
        assertThat(added.memory()).isEqualTo(BigInteger.valueOf(512 * MEBIBYTE));
        VmService vm = vms().vmService(added.id());
        Vm changed = vm.update().vm(Builders.vm().memory(1024 * MEBIBYTE)).send().vm();
        assertThat(changed.memory()).isEqualTo(BigInteger.valueOf(1024 * MEBIBYTE));
        Vm whole = vm.get().allContent(true).send().vm();
        whole = vm.update().vm(whole).send().vm();
        assertThat(whole.memory()).isEqualTo(BigInteger.valueOf(1024 * MEBIBYTE));
        refused(400, () -> vm.update().vm(Builders.vm().usb(Builders.usb().enabled(true))).send());
        Vm serial =
                vm.update().vm(Builders.vm().console(Builders.console().enabled(true))).send().vm();
        assertThat(serial.id()).isEqualTo(added.id());
        assertThat(vm.get().allContent(true).send().vm().console().enabled()).isTrue();
        aNicIsAddedReadChangedAndRemoved(vm);
        vm.remove().send();
        refused(404, () -> vm.get().send());
    }

    private static void aNicIsAddedReadChangedAndRemoved(VmService vm) {
        VnicProfile profile = system.vnicProfilesService().list().send().profiles().getFirst();
        Nic added =
                vm.nicsService()
                        .add()
                        .nic(
                                Builders.nic()
                                        .name("nic1")
                                        .description("of the SDK's example")
                                        .interface_(NicInterface.VIRTIO)
                                        .vnicProfile(Builders.vnicProfile().id(profile.id())))
                        .send()
                        .nic();
        VmNicService nic = vm.nicsService().nicService(added.id());
        Nic read = nic.get().send().nic();
        assertThat(read.name()).isEqualTo("nic1");
        assertThat(read.interface_()).isEqualTo(NicInterface.VIRTIO);
        assertThat(read.vnicProfile().id()).isEqualTo(profile.id());
        assertThat(read.mac().address()).isEqualTo(added.mac().address()).isNotEmpty();
        assertThat(connection.followLink(read.vnicProfile()).name()).isEqualTo(profile.name());
        assertThat(nic.update().nic(Builders.nic().plugged(false)).send().nic().plugged())
                .isFalse();
        refused(409, () -> vm.nicsService().add().nic(Builders.nic().name("nic1")).send());
        nic.remove().send();
        assertThat(vm.nicsService().list().send().nics()).isEmpty();
        refused(404, () -> nic.get().send());
    }

    private static String clusterName() {
        return system.clustersService().list().send().clusters().getFirst().name();
    }

    @Test
    void anEventOfAnotherProgramIsListed() {
        Event told =
                system.eventsService()
                        .add()
                        .event(
                                Builders.event()
                                        .description("the roof leaks")
                                        .severity(LogSeverity.ALERT)
                                        .origin("caretaker")
                                        .customId(7))
                        .send()
                        .event();
        assertThat(told.description()).isEqualTo("the roof leaks");
        assertThat(told.severity()).isEqualTo(LogSeverity.ALERT);
        assertThat(system.eventsService().list().search("severity=alert").send().events())
                .extracting(Event::id)
                .contains(told.id());
    }

    @Test
    void missingObjectsGet404() {
        refused(404, () -> vms().vmService(NOBODY).get().send());
        refused(404, () -> vms().vmService(NOBODY).start().send());
        refused(400, () -> vms().list().follow("no_such_link").send());
    }

    @Test
    void aWrongPasswordIsRefused() throws Exception {
        Connection wrong = connect().password("wrong").build();
        assertThatThrownBy(() -> wrong.systemService().get().send())
                .isInstanceOf(org.ovirt.engine.sdk4.Error.class)
                .hasStackTraceContaining("access_denied");
        wrong.close(false);
    }

    /** A token that ran out is replaced by a new one, unseen. */
    @Test
    void aTokenThatIsNotKnownIsReplaced() throws Exception {
        Connection stale =
                connect().password(RunningEngine.PASSWORD).token("no-such-token").build();
        Api api = stale.systemService().get().send().api();
        assertThat(Objects.requireNonNull(api.productInfo()).version()).isNotNull();
        stale.close();
    }
}
