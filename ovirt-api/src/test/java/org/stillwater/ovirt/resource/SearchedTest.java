package org.stillwater.ovirt.resource;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The fields that collections can be searched for, by what they find in a small fleet. */
class SearchedTest {

    /** As the chapter on the search language lists them. */
    private static final Map<String, String> LISTED =
            Map.ofEntries(
                    Map.entry(
                            "vms",
                            "name comment description id status ip fqdn on_host host cluster"
                                + " datacenter pool os type uptime creationdate address cpu_usage"
                                + " mem_usage network_usage memory guaranteed_memory vcpus"
                                + " migration_progress_percent apps tag quota architecture"
                                + " loggedinuser next_run_config_exists has_illegal_images"
                                + " bios_type compatibility_level created_by_user_id hosts"
                                + " templates events users storage vnic"),
                    Map.entry(
                            "hosts",
                            "name comment address cluster datacenter status external_status id"
                                + " hw_id spm_id active_vms migrating_vms mem_usage cpu_usage"
                                + " network_usage load version cpus memory cpu_speed cpu_model"
                                + " committed_mem tag type architecture update_available ha_score"
                                + " vms templates events users storage nic"),
                    Map.entry(
                            "events",
                            "type severity message time usrname event_host event_vm event_template"
                                + " event_storage event_datacenter event_volume correlation_id"
                                + " origin custom_event_id deleted _event_vm_id _event_host_id"),
                    Map.entry(
                            "clusters",
                            "name description comment architecture compatibility_level cpu_type"),
                    Map.entry(
                            "datacenters",
                            "name description comment status local compatibility_version"),
                    Map.entry(
                            "storagedomains",
                            "name status shared_status external_status datacenter type free_size"
                                    + " used_size total_size committed comment description backup"),
                    Map.entry(
                            "disks",
                            "alias name description id provisioned_size size actual_size"
                                + " creation_date status disk_type disk_content_type shareable"
                                + " number_of_vms vm_names quota last_modified storage datacenter"),
                    Map.entry(
                            "templates",
                            "name comment description status cluster datacenter os mem childcount"
                                    + " creationdate version_name tag architecture sealed"),
                    Map.entry(
                            "networks",
                            "name description comment vlanid mtu vmnetwork datacenter label stp"
                                    + " provider_name"),
                    Map.entry(
                            "vmpools",
                            "name description comment type cluster datacenter assigned_vm_count"
                                    + " running_vm_count"),
                    Map.entry("users", "name lastname usrname directory login department tag type"),
                    Map.entry("groups", "name"),
                    Map.entry("jobs", "correlation_id"),
                    Map.entry("instancetypes", "name"));

    private final Asked asked = new Asked(new SmallFleet());

    @Test
    void everyListedFieldIsThere() {
        var searchable = asked.api().searchable(Asked.ADMIN);
        assertThat(searchable.keySet()).containsAll(LISTED.keySet());
        LISTED.forEach((collection, names) -> {
            var fields = searchable.get(collection);
            Set<String> missing = new TreeSet<>(Set.of(names.split(" ")));
            missing.removeAll(fields.fields().keySet());
            missing.removeAll(fields.references().keySet());
            assertThat(missing).as(collection).isEmpty();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "disks, datacenter.name=Default",
        "disks, datacenter=Default",
        "disks, storage.name=data",
        "disks, storage=data",
        "disks, vm_names=web-01",
        "disks, vms.name=web*",
        "disks, number_of_vms=1",
        "disks, disk_type=image and disk_content_type=data",
        "disks, actual_size>2 and provisioned_size<4",
        "disks, status=ok and shareable=false",
        "storagedomains, total_size=4096 and free_size>4000",
        "storagedomains, committed<=3 and used_size>0",
        "storagedomains, datacenter=Default and type=data and shared_status=active",
        "hosts, vms.name=web-01",
        "hosts, templates.name=Blank",
        "hosts, storage.name=data",
        "hosts, events.severity=normal",
        "vms, storage.name=data",
        "vms, hosts.cluster=*east*",
        "vms, templates.name=Blank",
        "events, origin=oVirt",
        "events, custom_event_id=-1",
        "events, event_datacenter=Default",
        "templates, datacenter=Default",
        "instancetypes, name=Small",
        "instancetypes, mem>=1024 and vcpus=1",
        "groups, name=Every*",
        "users, usrname=admin@internal-authz",
    })
    void isFound(String collection, String query) {
        assertThat(found(collection, query)).as(query).isPositive();
    }

    @ParameterizedTest
    @CsvSource({
        "disks, datacenter.name=elsewhere",
        "disks, storage.name=elsewhere",
        "disks, vm_names=nobody",
        "disks, vm=web-01",
        "storagedomains, free_size>5000",
        "hosts, templates.name=other",
        "instancetypes, nothing=Small",
        "events, origin=elsewhere",
    })
    void isNotFound(String collection, String query) {
        assertThat(found(collection, query)).as(query).isZero();
    }

    private int found(String collection, String query) {
        return asked.json(
                        "/"
                                + collection
                                + "?search="
                                + java.net.URLEncoder.encode(
                                        query, java.nio.charset.StandardCharsets.UTF_8))
                .findValues("href")
                .size();
    }
}
