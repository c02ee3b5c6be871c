package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.lang.reflect.RecordComponent;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.stillwater.ovirt.model.AffinityGroup;
import org.stillwater.ovirt.model.Cdrom;
import org.stillwater.ovirt.model.Cluster;
import org.stillwater.ovirt.model.DiskAttachment;
import org.stillwater.ovirt.model.FenceAgent;
import org.stillwater.ovirt.model.GraphicsConsole;
import org.stillwater.ovirt.model.Host;
import org.stillwater.ovirt.model.Nic;
import org.stillwater.ovirt.model.Tag;
import org.stillwater.ovirt.model.Watchdog;

class ElementsTest {

    private static final Elements ELEMENTS =
            Elements.of("thing")
                    .kept("name")
                    .only("flag", "it is always set", "true")
                    .refused("there are none", "parts")
                    .ignored("the path names it", "id")
                    .build();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    <thing id="7" href="/x"><name>a</name><flag>TRUE</flag></thing>
                    <thing><parts/><flag></flag></thing>
                    <thing><parts href="/x/parts"/><name/></thing>
                    {"name":"a","flag":true,"parts":[],"id":"7"}
                    {"name":"a","parts":{"href":"/x/parts"}}
                    """)
    void whatIsSoAnywayIsTaken(String body) {
        Body read = Bodies.of(body);
        assertThat(ELEMENTS.read(read, "do it")).isSameAs(read);
    }

    @Test
    void everythingThatIsNotKeptIsNamed() {
        assertThatThrownBy(() ->
                        ELEMENTS.read(
                                Bodies.of("{\"flag\":\"false\",\"parts\":{\"part\":[{\"a\":1}]}}"),
                                "do it"))
                .isInstanceOf(Refused.class)
                .hasMessageContaining("Cannot do it: thing/flag cannot be kept: it is always set.")
                .hasMessageContaining("thing/parts cannot be kept: there are none.");
    }

    @Test
    void aBodyOfSomethingElseIsRefused() {
        for (String body :
                new String[] {
                    "<other/>",
                    "{\"other\":1}",
                    "[1]",
                    "<thing><nmae>a</nmae></thing>",
                    "{\"name\":\"a\",\"other\":1}"
                }) {
            assertThatThrownBy(() -> ELEMENTS.read(Bodies.of(body), "do it"))
                    .isInstanceOfSatisfying(
                            Refused.class, refused -> assertThat(refused.status()).isEqualTo(400));
        }
    }

    /** Clients send back what they were told, with what is to be different. */
    @Test
    void everythingThatIsToldOfAnEntityIsDecided() {
        Map<String, Class<? extends Record>> models =
                Map.of(
                        "nic", Nic.class,
                        "disk_attachment", DiskAttachment.class,
                        "cdrom", Cdrom.class,
                        "watchdog", Watchdog.class,
                        "graphics_console", GraphicsConsole.class,
                        "host", Host.class,
                        "agent", FenceAgent.class,
                        "cluster", Cluster.class,
                        "affinity_group", AffinityGroup.class,
                        "tag", Tag.class);
        assertThat(Writable.TABLES).hasSize(models.size());
        for (Elements table : Writable.TABLES) {
            Set<String> decided =
                    table.fates().keySet().stream()
                            .map(element -> element.split("/", -1)[0])
                            .collect(Collectors.toSet());
            decided.addAll(Set.of("href", "link", "actions", "inlined"));
            assertThat(models.get(table.entity()).getRecordComponents())
                    .as(table.entity())
                    .extracting(ElementsTest::element)
                    .isSubsetOf(decided);
        }
    }

    private static String element(RecordComponent component) {
        JsonProperty named = component.getAccessor().getAnnotation(JsonProperty.class);
        return named == null
                ? component.getName().replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT)
                : named.value();
    }

    /** The elements that the schema of the interface (4.5) has for each entity. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            textBlock =
                    """
                    nic | boot_protocol comment description id instance_type interface linked mac name network network_attachments network_filter_parameters network_labels on_boot plugged reported_devices statistics synced template virtual_function_allowed_labels virtual_function_allowed_networks vm vms vnic_profile
                    disk_attachment | active bootable comment description disk id interface logical_name name pass_discard read_only template uses_scsi_reservation vm
                    cdrom | comment description file id instance_type name template vm vms
                    watchdog | action comment description id instance_type model name template vm vms
                    graphics_console | address comment description id instance_type name port protocol template tls_port vm
                    host | address affinity_labels agents auto_numa_status certificate cluster comment cpu cpu_units description device_passthrough devices display external_host_provider external_network_provider_configurations external_status hardware_information hooks hosted_engine id iscsi katello_errata kdump_status ksm libvirt_version max_scheduling_memory memory name network_attachments network_operation_in_progress nics numa_nodes numa_supported os override_iptables ovn_configured permissions port power_management protocol reinstallation_required root_password se_linux spm ssh statistics status status_detail storage_connection_extensions storages summary tags transparent_huge_pages type unmanaged_networks update_available version vgpu_placement
                    agent | address comment concurrent description encrypt_options host id name options order password port type username
                    cluster | affinity_groups ballooning_enabled bios_type comment cpu cpu_profiles custom_scheduling_policy_properties data_center description display enabled_features error_handling external_network_providers fencing_policy fips_mode firewall_type gluster_hooks gluster_service gluster_tuned_profile gluster_volumes ha_reservation id ksm log_max_memory_used_threshold log_max_memory_used_threshold_type mac_pool maintenance_reason_required management_network memory_policy migration name networks optional_reason permissions required_rng_sources scheduling_policy serial_number supported_versions switch_type threads_as_cores trusted_service tunnel_migration upgrade_correlation_id upgrade_in_progress upgrade_percent_complete version virt_service vnc_encryption
                    tag | comment description group host id name parent template user vm
                    affinity_group | broken cluster comment description enforcing host_labels hosts hosts_rule id name positive priority vm_labels vms vms_rule
                    """)
    void everyElementOfTheSchemaIsDecided(String entity, String schema) {
        Elements elements =
                Writable.TABLES.stream()
                        .filter(each -> each.entity().equals(entity))
                        .findFirst()
                        .orElseThrow();
        Set<String> decided =
                elements.fates().keySet().stream()
                        .map(element -> element.split("/", -1)[0])
                        .collect(Collectors.toSet());
        assertThat(decided).containsAll(Set.of(schema.split(" ", -1)));
    }
}
