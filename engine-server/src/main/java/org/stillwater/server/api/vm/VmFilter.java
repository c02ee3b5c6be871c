package org.stillwater.server.api.vm;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmStatus;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmNumber;
import org.stillwater.server.api.rows.FilterReferences;
import org.stillwater.server.api.rows.FilterText;
import org.stillwater.server.api.rows.TagReferences;
import org.stillwater.server.api.rows.Wildcard;
import org.stillwater.server.api.web.EnumNames;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.QueryRecord;

/**
 * Filter of VMs: all conditions must hold. A missing member is no condition.
 *
 * @param id identities by commas
 * @param status one or several by commas
 * @param host ids or names by commas
 * @param cluster ids or names by commas
 * @param hypervisor managers of the hosts by commas
 * @param name part of the name, or all of it with wildcards
 * @param highlyAvailable true or false
 * @param stale whether the statistics are outdated
 * @param ip addresses, networks or patterns of addresses of the guest, by commas
 * @param fqdn part of the guest's name in DNS, or all of it with wildcards
 * @param tag tags by commas, of which a VM has one
 * @param withoutTag tags by commas, of which a VM has none
 */
public record VmFilter(
        @Parameter(description = "Identities, by commas.") @QueryRecord.Several @Nullable String id,
        @Parameter(description = "One or several statuses, by commas.", example = "up,paused")
                @QueryRecord.Several
                @Nullable String status,
        @Parameter(description = "Hosts by id or name, by commas.") @QueryRecord.Several
                @Nullable String host,
        @Parameter(description = "Clusters by id or name, by commas.") @QueryRecord.Several
                @Nullable String cluster,
        @Parameter(
                        description = "Managers of the hosts, by commas: vdsm or xapi.",
                        example = "vdsm")
                @QueryRecord.Several
                @Nullable String hypervisor,
        @Parameter(
                        description =
                                "Part of the name, or all of it with * and ?; case is ignored.",
                        example = "*")
                @Nullable String name,
        @Parameter(schema = @Schema(type = "boolean")) @Nullable String highlyAvailable,
        @Parameter(
                        description = "Whether its statistics are outdated.",
                        schema = @Schema(type = "boolean"))
                @Nullable String stale,
        @Parameter(
                        description = "CPU usage in % is above this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String cpuAbove,
        @Parameter(
                        description = "CPU usage in % is below this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String cpuBelow,
        @Parameter(
                        description = "Memory usage in % is above this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String memoryAbove,
        @Parameter(
                        description = "Memory usage in % is below this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String memoryBelow,
        @Parameter(
                        description = "Network usage in % is above this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String networkAbove,
        @Parameter(
                        description = "Network usage in % is below this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String networkBelow,
        @Parameter(
                        description =
                                "Addresses of the guest, by commas: an address in any spelling, a"
                                        + " network, or a part with * and ?.",
                        example = "10.0.3.7,fd00::/64,192.168.*")
                @QueryRecord.Several
                @Nullable String ip,
        @Parameter(
                        description =
                                "Part of the guest's full name in DNS, or all of it with * and ?;"
                                        + " case is ignored.",
                        example = "*.example.org")
                @Nullable String fqdn,
        @Parameter(
                        description =
                                "One of these tags, by commas: whole names, or patterns with * and"
                                        + " ?; case is ignored.",
                        example = "*")
                @QueryRecord.Several
                @Nullable String tag,
        @Parameter(
                        description =
                                "None of these tags, by commas, as for tag; * stands for every"
                                        + " tag.")
                @QueryRecord.Several
                @Nullable String withoutTag)
        implements QueryRecord {

    private static final Map<String, VmStatus> STATUSES =
            EnumNames.of(VmStatus.values(), VmStatus::label);

    /** Whether there is no condition, so that every VM matches. */
    boolean isEmpty() {
        return FilterText.blank(status) && isEmptyBesideStatus();
    }

    /** Statuses, if there is no other condition; null otherwise. */
    @Nullable Set<VmStatus> onlyStatuses() {
        return !FilterText.blank(status) && isEmptyBesideStatus()
                ? statuses(FilterText.text(status))
                : null;
    }

    private boolean isEmptyBesideStatus() {
        return FilterText.blank(id)
                && FilterText.blank(host)
                && FilterText.blank(cluster)
                && FilterText.blank(hypervisor)
                && FilterText.blank(name)
                && FilterText.blank(highlyAvailable)
                && FilterText.blank(ip)
                && FilterText.blank(fqdn)
                && FilterText.blank(tag)
                && FilterText.blank(withoutTag)
                && !usesStatistics();
    }

    /** Whether it depends on numbers that change with every cycle. */
    boolean usesStatistics() {
        return !(FilterText.blank(stale)
                && FilterText.blank(cpuAbove)
                && FilterText.blank(cpuBelow)
                && FilterText.blank(memoryAbove)
                && FilterText.blank(memoryBelow)
                && FilterText.blank(networkAbove)
                && FilterText.blank(networkBelow));
    }

    /** Predicate of VMs that match the filter and that the caller may see. */
    public Predicate<VmRow> predicate(FleetReader fleet, Caller caller) {
        List<Predicate<VmRow>> all = new ArrayList<>();
        if (!caller.has(Role.READER)) {
            all.add(vm -> caller.has(Role.READER, vm.id(), vm.definition().cluster()));
        }
        if (!FilterText.blank(status)) {
            Set<VmStatus> wanted = statuses(FilterText.text(status));
            all.add(vm -> wanted.contains(vm.state().runtime().status()));
        }
        if (!FilterText.blank(id)) {
            Set<VmId> wanted =
                    FilterText.words(FilterText.text(id)).stream()
                            .map(Ids::vm)
                            .collect(Collectors.toSet());
            all.add(vm -> wanted.contains(vm.id()));
        }
        if (!FilterText.blank(host)) {
            Set<HostId> wanted = FilterReferences.hosts(fleet, caller, FilterText.text(host));
            all.add(vm -> {
                HostId on = vm.state().placement().runOn();
                return on != null && wanted.contains(on);
            });
        }
        if (!FilterText.blank(cluster)) {
            Set<ClusterId> wanted =
                    FilterReferences.clusters(fleet, caller, FilterText.text(cluster));
            all.add(vm -> wanted.contains(vm.definition().cluster()));
        }
        if (!FilterText.blank(hypervisor)) {
            Set<Hypervisor> wanted = FilterReferences.hypervisors(FilterText.text(hypervisor));
            all.add(vm -> wanted.contains(vm.managedBy()));
        }
        if (!FilterText.blank(highlyAvailable)) {
            boolean wanted = FilterText.flag("highlyAvailable", FilterText.text(highlyAvailable));
            all.add(vm -> vm.definition().highlyAvailable() == wanted);
        }
        if (!FilterText.blank(name)) {
            Wildcard wanted = new Wildcard("name", FilterText.text(name).strip());
            all.add(vm -> wanted.matches(vm.definition().name()));
        }
        if (!FilterText.blank(ip)) {
            AddressFilter wanted = AddressFilter.of("ip", FilterText.text(ip));
            all.add(vm -> wanted.matches(vm.state().runtime().guestIps()));
        }
        if (!FilterText.blank(fqdn)) {
            Wildcard wanted = new Wildcard("fqdn", FilterText.text(fqdn).strip());
            all.add(vm -> {
                Object told = vm.state().runtime().value(RuntimeField.FQDN);
                return told instanceof String name && wanted.matches(name);
            });
        }
        if (!FilterText.blank(tag)) {
            Set<String> wanted = TagReferences.names(fleet, caller, "tag", FilterText.text(tag));
            all.add(vm -> vm.tags().hasAny(wanted));
        }
        if (!FilterText.blank(withoutTag)) {
            Set<String> unwanted =
                    TagReferences.names(fleet, caller, "withoutTag", FilterText.text(withoutTag));
            all.add(vm -> !vm.tags().hasAny(unwanted));
        }
        above(all, "cpuAbove", cpuAbove, VmNumber.CPU_USAGE);
        below(all, "cpuBelow", cpuBelow, VmNumber.CPU_USAGE);
        above(all, "memoryAbove", memoryAbove, VmNumber.MEMORY_USAGE);
        below(all, "memoryBelow", memoryBelow, VmNumber.MEMORY_USAGE);
        above(all, "networkAbove", networkAbove, VmNumber.NETWORK_USAGE);
        below(all, "networkBelow", networkBelow, VmNumber.NETWORK_USAGE);
        if (!FilterText.blank(stale)) {
            boolean wanted = FilterText.flag("stale", FilterText.text(stale));
            all.add(vm -> vm.isStale() == wanted);
        }
        return FilterText.all(all);
    }

    private static void above(
            List<Predicate<VmRow>> all, String parameter, @Nullable String text, VmNumber number) {
        if (!FilterText.blank(text)) {
            double bound = FilterText.percent(parameter, FilterText.text(text));
            all.add(vm -> vm.value(number) > bound);
        }
    }

    private static void below(
            List<Predicate<VmRow>> all, String parameter, @Nullable String text, VmNumber number) {
        if (!FilterText.blank(text)) {
            double bound = FilterText.percent(parameter, FilterText.text(text));
            all.add(vm -> vm.value(number) < bound);
        }
    }

    private static Set<VmStatus> statuses(String text) {
        Set<VmStatus> wanted = EnumSet.noneOf(VmStatus.class);
        for (String word : FilterText.words(text)) {
            wanted.add(FilterText.word(STATUSES, "status", word));
        }
        return wanted;
    }
}
