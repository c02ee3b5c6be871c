package org.stillwater.xapi.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.stillwater.core.definition.VmOrigin;
import org.stillwater.core.definition.VmStatic;
import org.stillwater.core.id.VmId;
import org.stillwater.core.report.HostStatistics;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.xapi.client.Lab;
import org.stillwater.xapi.client.PoolListener.Change;
import org.stillwater.xapi.client.Records;
import org.stillwater.xapi.client.XapiClass;
import org.stillwater.xapi.client.XapiRecord;

@DisplayName("Storage repositories of a pool")
class PoolDisksTest {

    private static final String SHARED = "4d9ff764-0000-4000-8000-000000000001";
    private static final String LOCAL = "5e9ff764-0000-4000-8000-000000000002";
    private static final String IMAGE = "00000000-0000-4000-8000-0000000000d1";

    private final Map<XapiClass, Map<String, XapiRecord>> all = new HashMap<>();
    private final PoolObjects objects = new PoolObjects(all);
    private final PoolDisks disks = new PoolDisks();

    private final PoolHost host = SamplePoolHost.bare();

    private final PoolVm vm =
            new PoolVm(
                    VmId.parse("6b1f2d3c-0000-4000-8000-000000000001"),
                    "OpaqueRef:v",
                    new VmStatic("v", VmOrigin.EXTERNAL, false, 1_024, 0, 1, 1, 1, List.of()),
                    host.id(),
                    null,
                    VmStatus.UP,
                    List.of(),
                    1,
                    null,
                    List.of());

    private void put(XapiClass type, String ref, String json) {
        all.computeIfAbsent(type, _ -> new HashMap<>())
                .put("OpaqueRef:" + ref, Records.of(type, json.replace('\'', '"')));
    }

    private void repository(String ref, String uuid, String type, String content) {
        put(
                PoolObjects.SR,
                ref,
                "{'uuid':'%s','type':'%s','content_type':'%s'}".formatted(uuid, type, content));
    }

    private void attached(String ref, String repository, boolean attached) {
        put(
                PoolObjects.PBD,
                ref,
                "{'SR':'OpaqueRef:%s','currently_attached':%b}".formatted(repository, attached));
    }

    @BeforeEach
    void pool() {
        repository("shared", SHARED, "nfs", "user");
        repository("local", LOCAL, "ext", "user");
        repository("cds", "6e9ff764-0000-4000-8000-000000000003", "iso", "iso");
        repository("drives", "7e9ff764-0000-4000-8000-000000000004", "udev", "disk");
        attached("p1", "shared", true);
        attached("p2", "local", true);
        attached("p3", "cds", true);
        attached("p4", "drives", true);
        put(
                PoolObjects.HOST,
                "h",
                "{'uuid':'11111111-2222-4333-8444-555555555555',"
                        + "'PBDs':['OpaqueRef:p1','OpaqueRef:p2','OpaqueRef:p3','OpaqueRef:p4',"
                        + "'OpaqueRef:gone']}");
        put(PoolObjects.VM, "v", "{'VBDs':['OpaqueRef:b1','OpaqueRef:b2','OpaqueRef:b3']}");
        put(PoolObjects.VBD, "b1", "{'VDI':'OpaqueRef:d1','device':'xvda'}");
        put(PoolObjects.VBD, "b2", "{'VDI':'OpaqueRef:NULL','device':'xvdd'}");
        put(PoolObjects.VDI, "d1", "{'uuid':'%s','SR':'OpaqueRef:shared'}".formatted(IMAGE));
    }

    private Map<String, HostStatistics.StorageDomain> ofHost(Map<String, Double> row) {
        return PoolDisks.of(host, objects, name -> row.getOrDefault(name, Double.NaN));
    }

    @Test
    @DisplayName("are the storage domains of the hosts that attach them, with their latency")
    void ofAHost() {
        Map<String, HostStatistics.StorageDomain> found =
                ofHost(Map.of("latency_4d9ff764", 0.002, "latency_5e9ff764", 0.0));
        assertThat(found).containsOnlyKeys(SHARED, LOCAL);
        assertThat(found.get(SHARED).valid()).isTrue();
        assertThat(found.get(SHARED).delaySeconds()).isEqualTo(0.002);
        assertThat(found.get(LOCAL).valid()).isTrue();
        assertThat(found.get(LOCAL).delaySeconds()).as("idle").isNull();
        assertThat(ofHost(Map.of()).get(SHARED).delaySeconds()).isNull();
    }

    @Test
    @DisplayName("are not valid on a host that does not attach them")
    void detached() {
        attached("p1", "shared", false);
        HostStatistics.StorageDomain domain = ofHost(Map.of("latency_4d9ff764", 0.002)).get(SHARED);
        assertThat(domain.valid()).isFalse();
        assertThat(domain.delaySeconds()).isNull();
    }

    @Test
    @DisplayName("are left out while the pool did not send all of their objects")
    void incomplete() {
        all.remove(PoolObjects.SR);
        assertThat(ofHost(Map.of())).isEmpty();
        assertThat(PoolDisks.places(vm, objects)).isEmpty();
        repository("shared", "no uuid", "nfs", "user");
        assertThat(ofHost(Map.of())).isEmpty();
        all.clear();
        assertThat(ofHost(Map.of())).isEmpty();
        assertThat(PoolDisks.places(vm, objects)).isEmpty();
    }

    @Test
    @DisplayName("are the places of disks; an empty drive has none")
    void places() {
        assertThat(PoolDisks.places(vm, objects))
                .isEqualTo(Map.of(UUID.fromString(IMAGE), UUID.fromString(SHARED)));
        put(PoolObjects.VDI, "d1", "{'uuid':'%s','SR':'OpaqueRef:local'}".formatted(IMAGE));
        assertThat(PoolDisks.places(vm, objects))
                .isEqualTo(Map.of(UUID.fromString(IMAGE), UUID.fromString(LOCAL)));
    }

    @Test
    @DisplayName("have another revision after a disk came, went or moved")
    void revision() {
        assertThat(disks.revision()).isZero();
        disks.read();
        long whole = disks.revision();
        assertThat(whole).isPositive();

        disks.take(change(PoolObjects.VDI, "{'SR':'a'}", "{'SR':'a','physical_utilisation':7}"));
        disks.take(change(PoolObjects.VBD, "{'VDI':'a','device':''}", "{'VDI':'a'}"));
        disks.take(change(PoolObjects.VIF, null, "{'device':'0'}"));
        assertThat(disks.revision()).isEqualTo(whole);

        disks.take(change(PoolObjects.VDI, "{'SR':'a'}", "{'SR':'b'}"));
        assertThat(disks.revision()).isEqualTo(whole + 1);
        disks.take(change(PoolObjects.VBD, null, "{'VDI':'a'}"));
        assertThat(disks.revision()).isEqualTo(whole + 2);
        disks.take(change(PoolObjects.VBD, "{'VDI':'a'}", null));
        assertThat(disks.revision()).isEqualTo(whole + 3);
    }

    private static Change change(XapiClass type, @Nullable String before, @Nullable String after) {
        return new Change(type, "OpaqueRef:x", record(type, before), record(type, after));
    }

    private static @Nullable XapiRecord record(XapiClass type, @Nullable String json) {
        return json == null ? null : Records.of(type, json.replace('\'', '"'));
    }

    @Test
    @DisplayName("of VMs outside of pools come from the other source")
    void others() throws Exception {
        VmId other = new VmId(0, 5);
        Map<VmId, Map<UUID, UUID>> known = Map.of(other, Map.of(new UUID(0, 1), new UUID(0, 2)));
        try (XapiHosts hosts =
                XapiHosts.stepped(Lab.CLOCK, Duration.ofSeconds(1), Duration.ofSeconds(1))) {
            var places = hosts.diskPlaces(vms -> known);
            assertThat(places.of(List.of(other))).isEqualTo(known);
            assertThat(places.revision(other)).isZero();
        }
    }
}
