package org.stillwater.ovirt.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.access.Scope.OfCluster;
import org.stillwater.core.access.Scope.OfVm;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.store.ClusterStore;
import org.stillwater.core.store.StoreUnavailable;
import tools.jackson.databind.JsonNode;

/** The visible objects of each user (chapter 1.5). */
class FilteredTest {

    private static final Caller READER = Caller.withRole("reader@internal", Role.READER);
    private static final Caller OF_ONE_VM =
            new Caller("one@internal", Set.of(new Grant(Role.OPERATOR, new OfVm(SmallFleet.WEB))));
    private static final Caller OF_A_POOLED_VM =
            new Caller("desk@internal", Set.of(new Grant(Role.READER, new OfVm(SmallFleet.DESK))));
    private static final Caller OF_ANOTHER_VM =
            new Caller(
                    "found@internal", Set.of(new Grant(Role.READER, new OfVm(SmallFleet.FOUND))));
    private static final Caller OF_ANOTHER_CLUSTER =
            new Caller(
                    "two@internal",
                    Set.of(new Grant(Role.READER, new OfCluster(ClusterId.DEFAULT))));
    private static final Caller SCRAPER = Caller.withRole("scraper", Role.SCRAPER);

    private final SmallFleet fleet = new SmallFleet();
    private final Asked asked = new Asked(fleet);

    private JsonNode json(String path, Caller caller, String... headers) {
        String[] all = java.util.Arrays.copyOf(headers, headers.length + 2);
        all[headers.length] = "Accept";
        all[headers.length + 1] = "application/json";
        return asked.json(asked.answer("GET", Request.BASE + path, caller, all));
    }

    private int status(String path, Caller caller) {
        return asked.answer("GET", Request.BASE + path, caller).status();
    }

    @Test
    void readersSeeVmsWithoutHosts() {
        for (JsonNode vm : json("/vms", READER).path("vm")) {
            assertThat(vm.has("host")).isFalse();
            assertThat(vm.has("placement_policy")).isFalse();
        }
        assertThat(json("/", READER).has("summary")).isFalse();
        assertThat(json("/vms?search=host%3Dnode-01", READER).toString()).isEqualTo("{}");
    }

    @Test
    void anAdministratorMayAskForTheSame() {
        String web = "/vms/" + SmallFleet.WEB;
        assertThat(json(web, Asked.ADMIN).has("host")).isTrue();
        assertThat(json(web, Asked.ADMIN, "Filter", "true").has("host")).isFalse();
        assertThat(json(web + "?filter", Asked.ADMIN).has("host")).isFalse();
        assertThat(json(web, Asked.ADMIN, "Filter", "perhaps").has("host")).isTrue();
    }

    @Test
    void unreadableObjectsAreMissing() {
        assertThat(json("/vms", OF_ONE_VM).path("vm").size()).isEqualTo(1);
        assertThat(status("/vms/" + SmallFleet.DESK, OF_ONE_VM)).isEqualTo(404);
        assertThat(status("/vms/" + SmallFleet.DESK + "/statistics", OF_ONE_VM)).isEqualTo(404);
        assertThat(status("/hosts/" + SmallFleet.NODE_01, OF_ONE_VM)).isEqualTo(404);
        assertThat(json("/hosts", OF_ONE_VM).toString()).isEqualTo("{}");
        assertThat(json("/disks", OF_ONE_VM).path("disk").size()).isEqualTo(1);
        assertThat(json("/events", OF_ONE_VM).path("event").size()).isEqualTo(1);
        assertThat(json("/jobs", OF_ONE_VM).path("job").size()).isEqualTo(1);
        assertThat(json("/clusters", OF_ONE_VM).path("cluster").size()).isEqualTo(1);
        assertThat(json("/vms", OF_ANOTHER_CLUSTER).toString()).isEqualTo("{}");
        assertThat(json("/vmpools", OF_ANOTHER_CLUSTER).toString()).isEqualTo("{}");
    }

    @Test
    void groupsAndPoolsShowReadableVmsOnly() {
        String groups = "/clusters/" + SmallFleet.EAST + "/affinitygroups";
        JsonNode group = json(groups, OF_ONE_VM).path("affinity_group").path(0);
        assertThat(group.path("vms").path("vm").findValuesAsString("id"))
                .containsExactly(SmallFleet.WEB.toString());
        assertThat(
                        json(groups, READER)
                                .path("affinity_group")
                                .path(0)
                                .path("vms")
                                .path("vm")
                                .size())
                .isEqualTo(2);
        assertThat(json(groups, OF_ANOTHER_VM).toString()).isEqualTo("{}");
        assertThat(status(groups + "/" + group.path("id").asString(), OF_ANOTHER_VM))
                .isEqualTo(404);
        assertThat(json("/vmpools", OF_ONE_VM).toString())
                .as("another VM of the cluster is no way to its pools")
                .isEqualTo("{}");
        assertThat(json("/vmpools", OF_A_POOLED_VM).path("vm_pool").size()).isEqualTo(1);
        assertThat(status("/vmpools/" + SmallFleet.POOL, OF_ONE_VM)).isEqualTo(404);
    }

    @Test
    void tagsAreShownWithVisibleObjectsOnly() throws StoreUnavailable {
        Tag above = new Tag(new UUID(9, 1), "above", "", null);
        Tag below = new Tag(new UUID(9, 2), "below", "", above.id());
        for (Tag tag : List.of(above, below, new Tag(new UUID(9, 3), "unused", "", null))) {
            assertThat(fleet.tags().save(tag)).isEqualTo(ClusterStore.Saved.SAVED);
        }
        assertThat(fleet.tags().attach(below.id(), SmallFleet.WEB)).isTrue();
        assertThat(json("/tags", Asked.ADMIN).findValuesAsString("name"))
                .containsExactly("above", "below", "unused", "root");
        assertThat(json("/tags", OF_ONE_VM).findValuesAsString("name"))
                .containsExactly("above", "below", "root");
        assertThat(json("/tags", OF_ANOTHER_VM).findValuesAsString("name")).containsExactly("root");
        assertThat(json("/vms?search=tag%3Dabove", OF_ONE_VM).path("vm").size()).isEqualTo(1);
        assertThat(json("/vms?search=tag%3Dunused", Asked.ADMIN).toString()).isEqualTo("{}");
    }

    @Test
    void searchesFindNoHiddenValues() {
        assertThat(json("/datacenters?search=Clusters.name%3DDefault", OF_ONE_VM).toString())
                .isEqualTo("{}");
        assertThat(json("/datacenters?search=Clusters.name%3Dcl-east", OF_ONE_VM).size())
                .isEqualTo(1);
        assertThat(json("/events?search=_event_host_id%3D" + SmallFleet.NODE_01, OF_ONE_VM).size())
                .isZero();
    }

    @Test
    void eventsLeadToNoHostThatMayNotBeRead() {
        JsonNode host = json("/events", OF_ONE_VM).path("event").path(0).path("host");
        assertThat(host.has("href")).isFalse();
        assertThat(host.has("id")).isFalse();
    }

    @Test
    void aScraperIsRefused() {
        assertThat(status("/vms", SCRAPER)).isEqualTo(403);
        assertThat(status("", SCRAPER)).isEqualTo(403);
    }

    @Test
    void thePermissionsOfAllAreForAdministrators() {
        assertThat(
                        asked.answer(
                                        "GET",
                                        Request.BASE + "/permissions",
                                        READER,
                                        "Filter",
                                        "false")
                                .status())
                .isEqualTo(403);
    }
}
