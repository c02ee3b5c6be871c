package org.stillwater.dal;

import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.definition.VmDevice;
import org.stillwater.core.host.HostCondition;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.report.HostField;
import org.stillwater.core.report.HostNetworks;
import org.stillwater.core.report.HostValues;
import org.stillwater.core.store.DeviceUpdate;
import org.stillwater.core.store.HostStore.HostChange;
import org.stillwater.core.store.StatisticsStore.DiskSample;
import org.stillwater.core.store.StatisticsStore.NicSample;
import org.stillwater.core.store.StatisticsStore.Sample;
import org.stillwater.core.store.TagStore;
import org.stillwater.core.store.WriteOutcome;
import org.stillwater.core.vm.InterfaceStatus;
import org.stillwater.testkit.Samples;

/**
 * Two hosts and two VMs with all that a data warehouse collects, written by the engine's own
 * stores: VM 1 is defined with a disk on a storage domain and one that it shares with VM 2, which
 * was found on its host.
 */
final class WarehouseFleet implements AutoCloseable {

    /** The disk that two VMs have. */
    static final UUID SHARED = new UUID(7, 1);

    /** A disk without a definition. */
    static final UUID FOUND = new UUID(7, 2);

    /** The image of the disk on a storage domain. */
    static final UUID IMAGE = new UUID(7, 3);

    /** The device of the disk on a storage domain. */
    static final UUID ROOT = new UUID(7, 9);

    /** The storage domain. */
    static final UUID DOMAIN = new UUID(6, 6);

    /** A tag below the root, which a host has. */
    static final UUID SITE = new UUID(8, 1);

    /** A tag below the other one, which a VM has. */
    static final UUID CELLAR = new UUID(8, 2);

    private static final String SPECIFICATION =
            """
            {"cpu": {"kind": "cluster"}, "firmware": "BIOS", "boot": ["DISK"], "video": "VGA", "balloon": true,
             "resume": "AUTO_RESUME", "disks": [
               {"id": "%s", "name": "root", "bus": "VIRTIO", "format": "QCOW2", "readOnly": false, "shareable": false,
                "place": {"kind": "volume", "pool": "%3$s", "domain": "%3$s", "image": "%2$s", "volume": "%2$s",
                          "block": false}},
               {"id": "%4$s", "name": "shared", "bus": "VIRTIO", "format": "RAW", "readOnly": false, "shareable": true,
                "place": {"kind": "file", "path": "/srv/shared"}}]}
            """
                    .formatted(ROOT, IMAGE, DOMAIN, SHARED);

    private final TestDatabase server;
    private final Database engine;

    WarehouseFleet(TestDatabase server) throws Exception {
        this.server = server;
        this.engine = server.open();
        addHost(1);
        addHost(2);
        report(1, network());
        addVm(1);
        addVm(2);
        server.execute(
                "INSERT INTO vm_specification VALUES ('%s', '%s')"
                        .formatted(
                                Samples.vm(1),
                                Objects.requireNonNull(
                                        SpecificationJson.write(
                                                SpecificationJson.read(SPECIFICATION)))));
        addDevices(
                1,
                disk(ROOT, "{slot=1}"),
                disk(SHARED, "{slot=2}"),
                device(new UUID(5, 1), "interface", "bridge", "{slot=3}"),
                device(new UUID(5, 2), "disk", "cdrom", "{slot=4}"),
                device(new UUID(5, 3), "controller", "pci", "{slot=5}"));
        addDevices(2, disk(SHARED, "{slot=1}"), disk(FOUND, "{slot=2}"));
        addTags();
        dump();
        engine.stores().statistics().heartbeat();
        expectWritten(engine.stores().statistics().show(true));
    }

    private void addTags() throws Exception {
        TagStore tags = engine.tags();
        tags.save(new Tag(SITE, "site", "where it is", null));
        tags.save(new Tag(CELLAR, "cellar", "", SITE));
        tags.attach(SITE, Samples.host(1));
        tags.attach(CELLAR, Samples.vm(2));
    }

    /** Samples, some of them by SQL where they are of a host: a report of one has many parts. */
    private void dump() throws SQLException {
        expectWritten(
                engine.stores()
                        .statistics()
                        .dump(
                                List.of(
                                        sample(
                                                1,
                                                new DiskSample(
                                                        IMAGE, 5L, 5L, 7L, 3L, null, 0.5, 0.5,
                                                        null),
                                                shared()),
                                        sample(2, shared())),
                                List.of()));
        server.execute(
                "UPDATE vm_dynamic SET status = 1",
                """
                INSERT INTO host_statistics (host_id, usage_mem_percent, usage_cpu_percent, cpu_load, swap_total, swap_free)
                VALUES ('%s', 50, 7, 150.5, 2048, 1024)
                """
                        .formatted(Samples.host(1)),
                """
                INSERT INTO host_interface_statistics (host_id, name, rx_rate, rx_total)
                SELECT '%s', unnest(ARRAY ['ens1', 'ens2', 'bond0', 'bond0.7']), 12.3457, 10
                """
                        .formatted(Samples.host(1)),
                """
                INSERT INTO engine_user (user_id, name, password_hash, enabled, created_at)
                VALUES (gen_random_uuid(), 'jane@example@internal', 'secret', true, now()),
                       (gen_random_uuid(), 'root', NULL, true, now())
                """);
    }

    private static DiskSample shared() {
        return new DiskSample(SHARED, 1_000L, 0L, 7L, 3L, 1L << 30, 0.25, 0.0, null);
    }

    private static Sample sample(long vm, DiskSample... disks) {
        UUID nic = Samples.definition(vm).nics().getFirst().id();
        return new Sample(
                Samples.vm(vm),
                12.5,
                0.25,
                60L,
                6,
                40,
                0,
                null,
                1_024L,
                2_048L,
                List.of(
                        new NicSample(
                                nic,
                                InterfaceStatus.UP,
                                12.5,
                                null,
                                1L,
                                2L,
                                10L,
                                20L,
                                0L,
                                0L,
                                5.0)),
                List.of(disks),
                true);
    }

    /** The engine's own way in. */
    Database engine() {
        return engine;
    }

    void addHost(long host) throws Exception {
        engine.hosts().add(Samples.hostDefinition(host));
    }

    void addVm(long vm) {
        expectWritten(engine.vms().add(List.of(Samples.storedVm(vm))));
    }

    /** A host's report of its network, as the engine saves it. */
    void report(long host, HostValues values) {
        expectWritten(
                engine.hosts()
                        .write(
                                List.of(
                                        new HostChange(
                                                Samples.host(host),
                                                HostCondition.of(HostStatus.UP),
                                                List.of(),
                                                values.capabilities(),
                                                null))));
    }

    /** A host with two cards, one of them bonded, a VLAN on the bond, and a bond of nothing. */
    private static HostValues network() {
        return new HostValues()
                .put(HostField.CPU_MODEL, "EPYC")
                .put(HostField.ENGINE_INTERFACE, "ovirtmgmt")
                .put(
                        HostField.NICS,
                        Map.of(
                                "ens1",
                                nic("02:00:00:00:00:01", 10_000),
                                "ens2",
                                nic("02:00:00:00:00:02", 1_000)))
                .put(
                        HostField.BONDS,
                        Map.of(
                                "bond0",
                                bond("02:00:00:00:00:03", "ens2"),
                                "bond9",
                                bond("02:00:00:00:00:09")))
                .put(
                        HostField.VLANS,
                        Map.of("bond0.7", new HostNetworks.Vlan(HostNetworks.Ip.NONE, "bond0", 7)))
                .put(
                        HostField.NETWORKS,
                        Map.of(
                                "ovirtmgmt",
                                carried("ovirtmgmt", "ens1", ip("192.0.2.1", "192.0.2.254")),
                                "storage",
                                carried("bond0.7", "bond0.7", ip("198.51.100.1", null))));
    }

    /** A host with one card. */
    static HostValues card(int speed) {
        return new HostValues()
                .put(HostField.NICS, Map.of("ens1", nic("02:00:00:00:00:01", speed)));
    }

    private static HostNetworks.Nic nic(String mac, int speed) {
        return new HostNetworks.Nic(HostNetworks.Ip.NONE, mac, null, speed, null, null);
    }

    private static HostNetworks.Bond bond(String mac, String... cards) {
        return new HostNetworks.Bond(
                cards.length == 0 ? HostNetworks.Ip.NONE : ip("192.0.2.9", ""),
                mac,
                List.of(cards),
                null,
                Map.of("mode", "4"),
                null,
                null,
                "legacy",
                null,
                null);
    }

    private static HostNetworks.Network carried(
            String iface, String southbound, HostNetworks.Ip ip) {
        return new HostNetworks.Network(
                ip, iface, true, "legacy", southbound, null, List.of(), null, null);
    }

    private static HostNetworks.Ip ip(String address, @Nullable String gateway) {
        return new HostNetworks.Ip(
                address,
                "255.255.255.0",
                List.of(),
                List.of(),
                null,
                gateway,
                null,
                null,
                null,
                null,
                null);
    }

    static VmDevice disk(UUID id, String address) {
        return device(id, "disk", "disk", address);
    }

    private static VmDevice device(UUID id, String type, String device, String address) {
        return new VmDevice(id, type, device, address, "ua-" + id, true, true, false, null);
    }

    void addDevices(long vm, VmDevice... devices) {
        save(vm, List.of(), List.of(), Stream.of(devices).toList());
    }

    void updateDevice(long vm, VmDevice device) {
        save(vm, List.of(device), List.of(), List.of());
    }

    void removeDevice(long vm, UUID device) {
        save(vm, List.of(), List.of(device), List.of());
    }

    private void save(
            long vm, List<VmDevice> updates, List<UUID> removals, List<VmDevice> additions) {
        expectWritten(
                engine.stores()
                        .devices()
                        .save(
                                List.of(
                                        new DeviceUpdate(
                                                Samples.vm(vm),
                                                "h",
                                                updates,
                                                removals,
                                                additions,
                                                null))));
    }

    private static void expectWritten(WriteOutcome outcome) {
        if (!(outcome instanceof WriteOutcome.Written written) || !written.rejected().isEmpty()) {
            throw new IllegalStateException(outcome.toString());
        }
    }

    @Override
    public void close() {
        engine.close();
    }
}
