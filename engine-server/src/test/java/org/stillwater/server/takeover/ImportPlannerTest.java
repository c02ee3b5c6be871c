package org.stillwater.server.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope;
import org.stillwater.core.cluster.Cluster;
import org.stillwater.core.cluster.ClusterNetwork;
import org.stillwater.core.cluster.FencingPolicy;
import org.stillwater.core.cluster.MigrateOnError;
import org.stillwater.core.definition.CpuArchitecture;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.definition.VmDisk;
import org.stillwater.core.definition.VmInterface;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.host.HostDefinition;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.DataCentreId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.VmPool;
import org.stillwater.core.schedule.AffinityGroup;
import org.stillwater.core.store.DefinitionStore.Definition;
import tools.jackson.databind.json.JsonMapper;

/** Plans from answers in the shape of a real engine, in which numbers are texts. */
class ImportPlannerTest {

    private static final Instant NOW = Instant.parse("2026-03-01T10:00:00Z");
    private static final String CENTRE = "11111111-0000-4000-8000-000000000001";
    private static final String CLUSTER = "22222222-0000-4000-8000-000000000001";
    private static final String HOST = "33333333-0000-4000-8000-000000000001";
    private static final String VM = "44444444-0000-4000-8000-000000000001";
    private static final String POOL = "55555555-0000-4000-8000-000000000001";
    private static final String TAG = "66666666-0000-4000-8000-000000000001";
    private static final String BELOW = "66666666-0000-4000-8000-000000000002";
    private static final String GROUP = "77777777-0000-4000-8000-000000000001";
    private static final String USER = "88888888-0000-4000-8000-000000000001";
    private static final String DISK = "99999999-0000-4000-8000-000000000001";
    private static final String VOLUME = "99999999-0000-4000-8000-000000000002";
    private static final String DOMAIN = "99999999-0000-4000-8000-000000000003";
    private static final String PROFILE = "aaaaaaaa-0000-4000-8000-000000000001";
    private static final String ROOT = "00000000-0000-0000-0000-000000000000";

    static ScriptedEngine engine() {
        return new ScriptedEngine()
                .with(
                        "",
                        """
                        {"product_info": {"name": "oVirt Engine",
                                          "version": {"major": "4", "full_version": "4.5.5-1.el8"}}}
                        """)
                .with(
                        "/datacenters",
                        """
                        {"data_center": [{"id": "%s", "name": "east", "description": "by the river",
                                          "version": {"major": "4", "minor": "7"}}]}
                        """
                                .formatted(CENTRE))
                .with(
                        "/clusters",
                        """
                        {"cluster": [{"id": "%s", "name": "cl-east", "description": "",
                          "bios_type": "q35_ovmf",
                          "cpu": {"architecture": "x86_64", "type": "Secure Intel Cascadelake Server Family"},
                          "memory_policy": {"over_commit": {"percent": "150"}},
                          "error_handling": {"on_error": "migrate_highly_available"},
                          "fencing_policy": {"enabled": "true", "skip_if_sd_active": {"enabled": "true"},
                             "skip_if_connectivity_broken": {"enabled": "true", "threshold": "40"}},
                          "required_rng_sources": {"required_rng_source": ["urandom", "hwrng"]},
                          "fips_mode": "disabled", "version": {"major": "4", "minor": "7"},
                          "data_center": {"id": "%s"}}]}
                        """
                                .formatted(CLUSTER, CENTRE))
                .with(
                        "/clusters/" + CLUSTER + "/networks",
                        """
                        {"network": [{"name": "ovirtmgmt", "required": "true",
                                      "usages": {"usage": ["management", "vm"]}},
                                     {"name": "storage", "required": "false", "usages": {"usage": []}}]}
                        """)
                .with(
                        "/clusters/" + CLUSTER + "/affinitygroups",
                        """
                        {"affinity_group": [{"id": "%s", "name": "apart", "enforcing": "true", "positive": "false",
                           "vms_rule": {"enabled": "true", "enforcing": "true", "positive": "false"},
                           "hosts_rule": {"enabled": "true", "enforcing": "true", "positive": "true"},
                           "hosts": {"host": [{"id": "%s"}]},
                           "vms": {"vm": [{"id": "%s"}]}}]}
                        """
                                .formatted(GROUP, HOST, VM))
                .with(
                        "/hosts",
                        """
                        {"host": [{"id": "%s", "name": "node-01", "address": "10.9.0.11", "port": "54321",
                           "comment": "rack 4", "spm": {"priority": "5", "status": "spm"}, "status": "up",
                           "power_management": {"enabled": "true", "kdump_detection": "true"},
                           "tags": {"tag": [{"id": "%s"}]}, "cluster": {"id": "%s"}}]}
                        """
                                .formatted(HOST, TAG, CLUSTER))
                .with(
                        "/hosts/" + HOST + "/fenceagents",
                        """
                        {"agent": [{"type": "ipmilan", "address": "10.9.1.11", "username": "fence", "order": "1",
                           "encrypt_options": "false", "options": {"option": [{"name": "lanplus", "value": "1"}]}}]}
                        """)
                .with("/networks", "{\"network\": [{\"id\": \"n1\", \"name\": \"ovirtmgmt\"}]}")
                .with(
                        "/vnicprofiles",
                        "{\"vnic_profile\": [{\"id\": \"%s\", \"network\": {\"id\": \"n1\"}}]}"
                                .formatted(PROFILE))
                .with(
                        "/storagedomains",
                        "{\"storage_domain\": [{\"id\": \"%s\", \"storage\": {\"type\": \"iscsi\"}}]}"
                                .formatted(DOMAIN))
                .with("/vms", "{\"vm\": [" + vm("web-01", "") + "]}")
                .with(
                        "/vmpools",
                        """
                        {"vm_pool": [{"id": "%s", "name": "desks", "size": "3", "prestarted_vms": "2",
                           "max_user_vms": "1", "stateful": "false", "cluster": {"id": "%s"}}]}
                        """
                                .formatted(POOL, CLUSTER))
                .with(
                        "/tags",
                        """
                        {"tag": [{"id": "%s", "name": "below", "parent": {"id": "%s"}},
                                 {"id": "%s", "name": "shop", "description": "sells", "parent": {"id": "%s"}},
                                 {"id": "%s", "name": "root"}]}
                        """
                                .formatted(BELOW, TAG, TAG, ROOT, ROOT))
                .with(
                        "/roles",
                        """
                        {"role": [{"id": "r1", "name": "SuperUser"}, {"id": "r2", "name": "UserVmManager"},
                                  {"id": "r3", "name": "DiskCreator"}, {"id": "r4", "name": "UserRole"}]}
                        """)
                .with("/groups", "{\"group\": [{\"name\": \"staff\"}]}")
                .with(
                        "/users",
                        """
                        {"user": [{"id": "%s", "user_name": "ann@internal-authz", "principal": "ann"}]}
                        """
                                .formatted(USER))
                .with(
                        "/users/" + USER + "/permissions",
                        """
                        {"permission": [{"role": {"id": "r2"}, "vm": {"id": "%s"}},
                                        {"role": {"id": "r4"}, "cluster": {"id": "%s"}},
                                        {"role": {"id": "r1"}, "data_center": {"id": "%s"}},
                                        {"role": {"id": "r3"}}]}
                        """
                                .formatted(VM, CLUSTER, CENTRE));
    }

    private static String vm(String name, String more) {
        return """
        {"id": "%s", "name": "%s", "description": "the shop", "comment": "", %s
         "status": "up", "type": "server", "memory": "4294967296",
         "memory_policy": {"guaranteed": "2147483648", "max": "17179869184", "ballooning": "true"},
         "cpu": {"mode": "host_passthrough", "topology": {"sockets": "2", "cores": "4", "threads": "1"},
                 "cpu_tune": {"vcpu_pins": {"vcpu_pin": [{"vcpu": "0", "cpu_set": "0-3"}]}}},
         "bios": {"type": "cluster_default", "boot_menu": {"enabled": "true"}},
         "os": {"type": "rhel_9x64", "boot": {"devices": {"device": ["hd", "network"]}}},
         "high_availability": {"enabled": "true", "priority": "50"},
         "lease": {"storage_domain": {"id": "%s"}},
         "display": {"type": "vnc", "video_type": "vga", "keyboard_layout": "de"},
         "graphics_consoles": {"graphics_console": [{"protocol": "vnc"}, {"protocol": "spice"}]},
         "time_zone": {"name": "Etc/GMT"}, "delete_protected": "true", "stateless": "false",
         "storage_error_resume_behaviour": "kill", "console": {"enabled": "true"},
         "rng_device": {"source": "urandom", "rate": {"bytes": "1024", "period": "1000"}},
         "watchdogs": {"watchdog": [{"action": "poweroff", "model": "i6300esb"}]},
         "cdroms": {"cdrom": [{"id": "%s"}]},
         "nics": {"nic": [{"id": "bbbbbbbb-0000-4000-8000-000000000001", "name": "nic1", "interface": "virtio",
                           "linked": "true", "plugged": "true", "mac": {"address": "56:6F:1A:00:00:01"},
                           "vnic_profile": {"id": "%s"}}]},
         "disk_attachments": {"disk_attachment": [
            {"id": "%s", "bootable": "true", "active": "true", "interface": "virtio_scsi", "read_only": "false",
             "disk": {"id": "%s", "alias": "web-01_Disk1", "image_id": "%s", "format": "cow", "shareable": "false",
                      "storage_type": "image", "storage_domains": {"storage_domain": [{"id": "%s"}]}}},
            {"id": "99999999-0000-4000-8000-000000000009", "bootable": "false", "active": "false",
             "interface": "virtio", "disk": {"alias": "lun", "storage_type": "lun",
                "lun_storage": {"logical_units": {"logical_unit": [{"id": "360014053"}]}}}}]},
         "tags": {"tag": [{"id": "%s"}]}, "vm_pool": {"id": "%s"},
         "host": {"id": "%s"}, "cluster": {"id": "%s"}}
        """
                .formatted(
                        VM,
                        name,
                        more,
                        DOMAIN,
                        ROOT.replace("0000-0", "0000-1"),
                        PROFILE,
                        DISK,
                        DISK,
                        VOLUME,
                        DOMAIN,
                        BELOW,
                        POOL,
                        HOST,
                        CLUSTER);
    }

    private static List<String> lost(ImportPlan plan) {
        return plan.losses().stream().map(Loss::toString).toList();
    }

    @Test
    @DisplayName("clusters, hosts and fence agents keep identities and rules")
    void places() throws Exception {
        ImportPlan plan = ImportPlanner.plan(engine(), NOW);
        assertThat(plan.product()).isEqualTo("oVirt Engine 4.5.5-1.el8");
        assertThat(plan.dataCentres()).hasSize(1);
        Cluster cluster = plan.clusters().getFirst();
        assertThat(cluster.id()).isEqualTo(ClusterId.parse(CLUSTER));
        assertThat(cluster.dataCentre()).isEqualTo(new DataCentreId(UUID.fromString(CENTRE)));
        assertThat(cluster.requirements().version()).hasToString("4.7");
        assertThat(cluster.requirements().architecture()).isEqualTo(CpuArchitecture.X86_64);
        assertThat(cluster.requirements().rngSources()).containsExactly("hwrng");
        assertThat(cluster.requirements().fips()).isFalse();
        assertThat(cluster.requirements().networks())
                .containsExactly(
                        new ClusterNetwork("ovirtmgmt", true, true),
                        new ClusterNetwork("storage", false, false));
        assertThat(cluster.migrateOnError()).isEqualTo(MigrateOnError.HIGHLY_AVAILABLE);
        assertThat(cluster.fencing()).isEqualTo(new FencingPolicy(true, 40, true));
        HostDefinition host = plan.hosts().getFirst();
        assertThat(host.id()).isEqualTo(new HostId(UUID.fromString(HOST)));
        assertThat(host.address()).isEqualTo("10.9.0.11");
        assertThat(host.cluster()).isEqualTo(cluster.id());
        assertThat(host.traits().powerManagement()).isTrue();
        assertThat(host.traits().storagePoolManager()).isTrue();
        assertThat(host.traits().comment()).isEqualTo("rack 4");
        assertThat(plan.agents().get(host.id()))
                .singleElement()
                .satisfies(agent -> {
                    assertThat(agent).hasToString("fence_ipmilan at 10.9.1.11");
                    assertThat(agent.user()).isEqualTo("fence");
                    assertThat(agent.password()).isNull();
                    assertThat(agent.options()).containsEntry("lanplus", "1");
                });
        assertThat(lost(plan))
                .anyMatch(each -> each.contains("CPU type Secure Intel Cascadelake"))
                .anyMatch(each -> each.contains("overcommitment of memory of 150 %"))
                .anyMatch(each -> each.contains("the password of its fence agent ipmilan"));
    }

    @Test
    @DisplayName("a VM keeps what it is, with its disks, interfaces and devices")
    void vm() throws Exception {
        Definition vm = ImportPlanner.plan(engine(), NOW).vms().get(VmId.parse(VM));
        assertThat(vm.definition().name()).isEqualTo("web-01");
        assertThat(vm.definition().memoryMebibytes()).isEqualTo(4096);
        assertThat(vm.definition().guaranteedMemoryMebibytes()).isEqualTo(2048);
        assertThat(vm.definition().cpus()).isEqualTo(8);
        assertThat(vm.definition().highlyAvailable()).isTrue();
        assertThat(vm.priority()).isEqualTo(50);
        assertThat(vm.lease()).isEqualTo(UUID.fromString(DOMAIN));
        VmSpecification specification = vm.specification();
        assertThat(specification.firmware()).isEqualTo(VmSpecification.Firmware.UEFI);
        assertThat(specification.maximumMemoryMebibytes()).isEqualTo(16384);
        assertThat(specification.boot())
                .containsExactly(
                        VmSpecification.BootDevice.DISK, VmSpecification.BootDevice.NETWORK);
        assertThat(specification.cpuPinning()).containsEntry(0, "0-3");
        assertThat(specification.resume()).isEqualTo(VmSpecification.ResumeBehaviour.KILL);
        assertThat(specification.traits().guestSystem()).isEqualTo("rhel_9x64");
        assertThat(specification.traits().deleteProtected()).isTrue();
        assertThat(specification.timeZone()).isEqualTo("Etc/GMT");
        assertThat(specification.consoles())
                .containsExactlyInAnyOrder(
                        new VmConsole(VmConsole.Protocol.SPICE, null),
                        new VmConsole(VmConsole.Protocol.VNC, "de"));
        assertThat(specification.disks()).hasSize(2);
        VmDisk first = specification.disks().getFirst();
        assertThat(first.place())
                .isEqualTo(
                        new VmDisk.Place.Volume(
                                UUID.fromString(CENTRE),
                                UUID.fromString(DOMAIN),
                                UUID.fromString(DISK),
                                UUID.fromString(VOLUME),
                                true));
        assertThat(first.format()).isEqualTo(VmDisk.Format.QCOW2);
        assertThat(first.bootOrder()).isEqualTo(1);
        VmDisk second = specification.disks().getLast();
        assertThat(second.place()).isEqualTo(new VmDisk.Place.BlockDevice("/dev/mapper/360014053"));
        assertThat(second.unplugged()).isTrue();
        VmInterface nic = specification.interfaces().getFirst();
        assertThat(nic.mac()).isEqualTo("56:6f:1a:00:00:01");
        assertThat(nic.network()).isEqualTo("ovirtmgmt");
        assertThat(vm.definition().nics().getFirst().vnicProfile())
                .isEqualTo(UUID.fromString(PROFILE));
    }

    @Test
    @DisplayName("groups, pools and tags name the VMs that are kept")
    void around() throws Exception {
        ImportPlan plan = ImportPlanner.plan(engine(), NOW);
        AffinityGroup group = plan.groups().getFirst();
        assertThat(group.positive()).isFalse();
        assertThat(group.enforcing()).isTrue();
        assertThat(group.members()).containsExactly(VmId.parse(VM));
        VmPool pool = plan.pools().getFirst();
        assertThat(pool.members().keySet()).containsExactly(VmId.parse(VM));
        assertThat(pool.size()).isEqualTo(3);
        assertThat(pool.prestarted()).isEqualTo(2);
        assertThat(plan.tags()).extracting("name").containsExactly("shop", "below");
        assertThat(plan.tags().getLast().parent()).isEqualTo(UUID.fromString(TAG));
        assertThat(plan.taggedVms()).containsEntry(UUID.fromString(BELOW), Set.of(VmId.parse(VM)));
        assertThat(plan.taggedHosts())
                .containsEntry(UUID.fromString(TAG), Set.of(new HostId(UUID.fromString(HOST))));
        assertThat(lost(plan)).contains("affinity group apart: its hosts and labels");
    }

    @Test
    @DisplayName("a role on an object that the API leaves out is no role on everything")
    void hiddenObjects() throws Exception {
        ScriptedEngine engine =
                engine().with(
                                "/permissions",
                                "{\"permission\": [{\"id\": \"p1\"}, {\"id\": \"p3\"}]}")
                        .with(
                                "/users/" + USER + "/permissions",
                                """
                                {"permission": [{"id": "p1", "role": {"id": "r4"}},
                                                {"id": "p2", "role": {"id": "r1"}}]}
                                """);
        ImportPlan plan = ImportPlanner.plan(engine, NOW);
        assertThat(plan.users().getFirst().grants()).containsExactly(Grant.everywhere(Role.READER));
        assertThat(lost(plan))
                .anyMatch(each -> each.contains("the role SuperUser on something that has no"));
    }

    @Test
    @DisplayName("grants become smaller, never larger")
    void access() throws Exception {
        ImportPlan plan = ImportPlanner.plan(engine(), NOW);
        assertThat(plan.users())
                .singleElement()
                .satisfies(user -> {
                    assertThat(user.name()).isEqualTo("ann@internal");
                    assertThat(user.passwordHash()).isNull();
                    assertThat(user.grants())
                            .containsExactlyInAnyOrder(
                                    new Grant(Role.OPERATOR, new Scope.OfVm(VmId.parse(VM))),
                                    new Grant(
                                            Role.READER,
                                            new Scope.OfCluster(ClusterId.parse(CLUSTER))));
                });
        assertThat(lost(plan))
                .contains(
                        "group staff: there are no groups here",
                        "user ann@internal: the role DiskCreator",
                        "user ann@internal: the role SuperUser on something that has no grants"
                                + " here");
    }

    @Test
    @DisplayName(
            "what a VM of ours cannot be is listed, and a VM that cannot be defined costs no other")
    void losses() throws Exception {
        String odd =
                vm(
                                "odd",
                                """
                                "placement_policy": {"affinity": "pinned"}, "usb": {"enabled": "true"},
                                "soundcard_enabled": "true", "io": {"threads": "2"},
                                "initialization": {"custom_script": "x"},
                                """)
                        .replace(VM, VM.replace("1", "2"))
                        .replace("\"Etc/GMT\"", "\"W. Europe Standard Time\"")
                        .replace(
                                "\"nic1\", \"interface\": \"virtio\"",
                                "\"nic1\", \"interface\": \"pci_passthrough\"")
                        .replace(
                                "\"storage_type\": \"lun\"",
                                "\"storage_type\": \"managed_block_storage\"")
                        .replace("lun_storage", "other_storage");
        String impossible =
                vm("impossible", "").replace(VM, VM.replace("1", "3")).replace("4294967296", "1");
        ScriptedEngine engine = engine().with("/vms", "{\"vm\": [" + odd + "," + impossible + "]}");
        ImportPlan plan = ImportPlanner.plan(engine, NOW);
        assertThat(plan.vms()).hasSize(1);
        assertThat(lost(plan))
                .contains(
                        "VM odd: its binding to certain hosts",
                        "VM odd: USB redirection",
                        "VM odd: its sound card",
                        "VM odd: its I/O threads",
                        "VM odd: the configuration of its first start (cloud-init or sysprep)",
                        "VM odd: the time zone W. Europe Standard Time, which has no IANA name",
                        "VM odd: the model pci_passthrough of interface nic1; it becomes virtio")
                .anyMatch(each -> each.startsWith("VM odd: the disk lun:"))
                .anyMatch(each -> each.startsWith("VM impossible: its definition is not kept"));
    }

    @Test
    @DisplayName("a VM that is not kept is named at its group, its pool and its users, too")
    void lostMembers() throws Exception {
        ScriptedEngine engine =
                engine().with(
                                "/vms",
                                "{\"vm\": [" + vm("web-01", "").replace("4294967296", "1") + "]}");
        ImportPlan plan = ImportPlanner.plan(engine, NOW);
        assertThat(plan.vms()).isEmpty();
        assertThat(plan.groups().getFirst().members()).isEmpty();
        assertThat(plan.pools().getFirst().members()).isEmpty();
        assertThat(lost(plan))
                .contains(
                        "affinity group apart: its VM web-01, which is not kept",
                        "pool desks: its VM web-01, which is not kept")
                .anyMatch(each ->
                        each.startsWith("user ann@internal: the role ")
                                && each.endsWith("on the VM web-01, which is not kept"));
    }

    @Test
    @DisplayName("the second of two VMs with one name or MAC address in a data centre is named")
    void claims() throws Exception {
        String sameName = vm("web-01", "").replace(VM, VM.replace("1", "2"));
        String sameMac = vm("web-03", "").replace(VM, VM.replace("1", "3"));
        ScriptedEngine engine =
                engine().with(
                                "/vms",
                                "{\"vm\": ["
                                        + vm("web-01", "")
                                        + ","
                                        + sameName.replace(":00:00:01", ":00:00:02")
                                        + ","
                                        + sameMac
                                        + "]}");
        ImportPlan plan = ImportPlanner.plan(engine, NOW);
        assertThat(plan.vms().keySet()).containsExactly(VmId.parse(VM));
        assertThat(lost(plan))
                .contains(
                        "VM web-01: its definition is not kept; it is found on its host: there is"
                                + " already a VM of this name",
                        "VM web-03: its definition is not kept; it is found on its host: its MAC"
                                + " address 56:6f:1a:00:00:01 belongs to the VM web-01");
    }

    @Test
    @DisplayName("tags without a tag above, unknown vNIC profiles and data centres are losses")
    void missing() throws Exception {
        ScriptedEngine engine =
                engine().with(
                                "/tags",
                                """
                                {"tag": [{"id": "%s", "name": "a", "parent": {"id": "%s"}},
                                         {"id": "%s", "name": "b\\nVM forged: line", "parent": {"id": "%s"}}]}
                                """
                                        .formatted(TAG, BELOW, BELOW, TAG))
                        .with("/vnicprofiles", "{}")
                        .with("/datacenters", "{}")
                        .with(
                                "/hosts/" + HOST + "/fenceagents",
                                "{\"agent\": [{\"type\": \"My.Own\", \"address\":"
                                        + " \"10.9.1.12\"}]}");
        ImportPlan plan = ImportPlanner.plan(engine, NOW);
        assertThat(plan.tags()).isEmpty();
        assertThat(plan.taggedVms()).isEmpty();
        assertThat(plan.taggedHosts()).isEmpty();
        assertThat(lost(plan))
                .contains(
                        "tag a: the tag above it is missing",
                        "tag b VM forged: line: the tag above it is missing",
                        "cluster cl-east: its data centre, which is missing: it belongs to"
                                + " Default",
                        "VM web-01: the network of interface nic1, whose vNIC profile is missing")
                .anyMatch(each ->
                        each.startsWith(
                                "fence agent of host node-01, My.Own at 10.9.1.12: all of"
                                        + " it: the type"));
    }

    @Test
    @DisplayName("agents of one order, which only together switch a host off, are losses")
    void twoPowerSupplies() throws Exception {
        ScriptedEngine engine =
                engine().with(
                                "/hosts/" + HOST + "/fenceagents",
                                """
                                {"agent": [{"type": "apc_snmp", "address": "10.9.1.21", "order": "2",
                                            "encrypt_options": "false"},
                                           {"type": "apc_snmp", "address": "10.9.1.22", "order": "2",
                                            "encrypt_options": "false"},
                                           {"type": "ipmilan", "address": "10.9.1.11", "order": "1",
                                            "encrypt_options": "false"}]}
                                """);
        ImportPlan plan = ImportPlanner.plan(engine, NOW);
        assertThat(plan.agents().get(new HostId(UUID.fromString(HOST))))
                .singleElement()
                .hasToString("fence_ipmilan at 10.9.1.11");
        assertThat(lost(plan))
                .anyMatch(each ->
                        each.startsWith(
                                "fence agent of host node-01, apc_snmp at 10.9.1.21: all of it:"
                                        + " another agent has its order 2"))
                .anyMatch(each ->
                        each.startsWith(
                                "fence agent of host node-01, apc_snmp at 10.9.1.22: all of it:"
                                        + " another agent has its order 2"))
                .noneMatch(each -> each.contains("password of its fence agent apc_snmp"));
    }

    @Test
    @DisplayName("an engine that answers smaller pages than requested is read to its end")
    void smallPages() throws Exception {
        ScriptedEngine engine = engine();
        OvirtReader small =
                path -> {
                    if (!path.startsWith("/vms?")) {
                        return engine.get(path);
                    }
                    String number = path.replaceAll(".*page%20([0-9]+).*", "$1");
                    return JsonMapper.shared()
                            .readTree(
                                    Integer.parseInt(number) > 3
                                            ? "{}"
                                            : "{\"vm\": ["
                                                    + vm("web-0" + number, "")
                                                            .replace(VM, VM.replace("1", number))
                                                            .replace(
                                                                    ":00:00:01",
                                                                    ":00:00:0" + number)
                                                    + "]}");
                };
        assertThat(ImportPlanner.plan(small, NOW).vms().values())
                .extracting(each -> each.definition().name())
                .containsExactlyInAnyOrder("web-01", "web-02", "web-03");
    }

    @Test
    @DisplayName("objects named Default become the predefined ones")
    void defaults() throws Exception {
        ScriptedEngine engine = engine();
        engine.with(
                "/clusters",
                "{\"cluster\": [{\"id\": \"%s\", \"name\": \"Default\", \"data_center\": {\"id\": \"%s\"}}]}"
                        .formatted(CLUSTER, CENTRE));
        ImportPlan plan = ImportPlanner.plan(engine, NOW);
        assertThat(plan.clusters().getFirst().id()).isEqualTo(ClusterId.DEFAULT);
        assertThat(plan.hosts().getFirst().cluster()).isEqualTo(ClusterId.DEFAULT);
    }

    @Test
    @DisplayName("VMs are read page by page, and an engine of another API is refused")
    void reading() throws Exception {
        ScriptedEngine engine = engine();
        ImportPlanner.plan(engine, NOW);
        assertThat(engine.asked)
                .anyMatch(each -> each.startsWith("/vms?search=sortby%20name%20page%201&max=500"));
        ScriptedEngine other =
                engine().with("", "{\"product_info\": {\"version\": {\"major\": \"3\"}}}");
        assertThatThrownBy(() -> ImportPlanner.plan(other, NOW))
                .isInstanceOf(OvirtReader.NotRead.class)
                .hasMessageContaining("version 4");
    }
}
