package org.stillwater.server.api.vm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.server.api.operation.BatchFilter;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.api.web.QueryRecords;

/**
 * The filters of the list of VMs in the body of a batch: one pass over memory, which keeps at most
 * the VMs of one batch.
 */
@Component
class VmBatchFilter implements BatchFilter {

    private static final String MEMBER = "filter";

    private final FleetReader fleet;
    private final VmLists lists;
    private final CallerScope scope;

    VmBatchFilter(FleetReader fleet, VmLists lists, CallerScope scope) {
        this.fleet = fleet;
        this.lists = lists;
        this.scope = scope;
    }

    private record Match(String name, VmId id) {}

    @Override
    public List<VmId> matching(JsonObjectReader conditions, int most) {
        VmFilter filter = read(conditions);
        Caller caller = scope.caller();
        Predicate<VmRow> wanted;
        try {
            wanted = filter.predicate(fleet, caller);
        } catch (ApiException refusal) {
            throw refusal.about(MEMBER);
        }
        List<Match> matches = new ArrayList<>();
        int count = 0;
        VmRow row = lists.row();
        for (VmReading vm : fleet.readings()) {
            if (caller.has(Role.OPERATOR, vm.id(), vm.definition().cluster())
                    && wanted.test(row.scan(vm))) {
                count++;
                if (count <= most) {
                    matches.add(new Match(vm.definition().name(), vm.id()));
                }
            }
        }
        if (count > most) {
            throw ApiException.badRequest(
                            "filter matches %d VMs, and a batch has at most %d (stillwater.commands.most-in-batch)"
                                    .formatted(count, most))
                    .about(MEMBER);
        }
        matches.sort(Comparator.comparing(Match::name).thenComparing(Match::id));
        return matches.stream().map(Match::id).toList();
    }

    /** A misspelt condition, or one without a value, would otherwise match more VMs. */
    private static VmFilter read(JsonObjectReader conditions) {
        VmFilter filter = QueryRecords.of(VmFilter.class, name -> condition(conditions, name));
        conditions.end();
        if (filter.isEmpty()) {
            throw ApiException.badRequest(
                            "filter has no condition; {\"name\": \"*\"} matches every VM")
                    .about(MEMBER);
        }
        return filter;
    }

    private static @Nullable String condition(JsonObjectReader conditions, String name) {
        String text = conditions.text(name);
        if (conditions.isNull(name) || (text != null && text.isBlank())) {
            throw conditions.refusal(name, name + " has no value: give it one, or leave it out");
        }
        return text;
    }
}
