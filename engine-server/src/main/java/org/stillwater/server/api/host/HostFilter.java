package org.stillwater.server.api.host;

import io.swagger.v3.oas.annotations.Parameter;
import io.swagger.v3.oas.annotations.media.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.host.HostUsage;
import org.stillwater.core.host.Hypervisor;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.HostId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.api.rows.FilterReferences;
import org.stillwater.server.api.rows.FilterText;
import org.stillwater.server.api.rows.TagReferences;
import org.stillwater.server.api.rows.Wildcard;
import org.stillwater.server.api.web.EnumNames;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.QueryRecord;

/**
 * Filter of hosts: all conditions must hold. A missing member is no condition.
 *
 * @param id identities by commas
 * @param status one or several by commas
 * @param cluster ids or names by commas
 * @param hypervisor managers of hosts by commas
 * @param name part of the name, or all of it with wildcards
 * @param address part of the address, or all of it with wildcards
 * @param tag tags by commas, of which a host has one
 * @param withoutTag tags by commas, of which a host has none
 */
public record HostFilter(
        @Parameter(description = "Identities, by commas.") @QueryRecord.Several @Nullable String id,
        @Parameter(description = "One or several statuses, by commas.", example = "up")
                @QueryRecord.Several
                @Nullable String status,
        @Parameter(description = "Clusters by id or name, by commas.") @QueryRecord.Several
                @Nullable String cluster,
        @Parameter(description = "Managers of hosts, by commas: vdsm or xapi.", example = "vdsm")
                @QueryRecord.Several
                @Nullable String hypervisor,
        @Parameter(
                        description =
                                "Part of the name, or all of it with * and ?; case is ignored.",
                        example = "*")
                @Nullable String name,
        @Parameter(
                        description = "CPU usage in % is above this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String cpuAbove,
        @Parameter(
                        description = "Memory usage in % is above this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String memoryAbove,
        @Parameter(
                        description = "Network usage in % is above this.",
                        schema = @Schema(type = "number", minimum = "0", maximum = "100"))
                @Nullable String networkAbove,
        @Parameter(
                        description =
                                "Part of the address at which the engine reaches it, or all of it"
                                        + " with * and ?; case is ignored.",
                        example = "10.0.*")
                @Nullable String address,
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

    private static final Map<String, HostStatus> STATUSES = EnumNames.of(HostStatus.values());

    private interface Percent {
        @Nullable Integer of(HostUsage usage);
    }

    public Predicate<HostRow> predicate(FleetReader fleet, Caller caller) {
        List<Predicate<HostRow>> all = new ArrayList<>();
        if (!caller.has(Role.READER)) {
            all.add(host -> caller.has(Role.READER, host.definition().cluster()));
        }
        if (!FilterText.blank(id)) {
            Set<HostId> wanted =
                    FilterText.words(FilterText.text(id)).stream()
                            .map(Ids::host)
                            .collect(Collectors.toSet());
            all.add(host -> wanted.contains(host.definition().id()));
        }
        if (!FilterText.blank(status)) {
            Set<HostStatus> wanted =
                    FilterText.words(FilterText.text(status)).stream()
                            .map(word -> FilterText.word(STATUSES, "status", word))
                            .collect(Collectors.toSet());
            all.add(host -> wanted.contains(host.view().state().status()));
        }
        if (!FilterText.blank(cluster)) {
            Set<ClusterId> wanted =
                    FilterReferences.clusters(fleet, caller, FilterText.text(cluster));
            all.add(host -> wanted.contains(host.definition().cluster()));
        }
        if (!FilterText.blank(hypervisor)) {
            Set<Hypervisor> wanted = FilterReferences.hypervisors(FilterText.text(hypervisor));
            all.add(host -> wanted.contains(host.managedBy()));
        }
        if (!FilterText.blank(name)) {
            Wildcard wanted = new Wildcard("name", FilterText.text(name).strip());
            all.add(host -> wanted.matches(host.definition().name()));
        }
        if (!FilterText.blank(address)) {
            Wildcard wanted = new Wildcard("address", FilterText.text(address).strip());
            all.add(host -> wanted.matches(host.definition().address()));
        }
        if (!FilterText.blank(tag)) {
            Set<String> wanted = TagReferences.names(fleet, caller, "tag", FilterText.text(tag));
            all.add(host -> host.tags().hasAny(wanted));
        }
        if (!FilterText.blank(withoutTag)) {
            Set<String> unwanted =
                    TagReferences.names(fleet, caller, "withoutTag", FilterText.text(withoutTag));
            all.add(host -> !host.tags().hasAny(unwanted));
        }
        above(all, "cpuAbove", cpuAbove, HostUsage::cpuPercent);
        above(all, "memoryAbove", memoryAbove, HostUsage::memoryPercent);
        above(all, "networkAbove", networkAbove, HostUsage::networkPercent);
        return FilterText.all(all);
    }

    private static void above(
            List<Predicate<HostRow>> all,
            String parameter,
            @Nullable String text,
            Percent percent) {
        if (!FilterText.blank(text)) {
            double bound = FilterText.percent(parameter, FilterText.text(text));
            all.add(host -> {
                Integer value = percent.of(host.view().usage());
                return value != null && value > bound;
            });
        }
    }
}
