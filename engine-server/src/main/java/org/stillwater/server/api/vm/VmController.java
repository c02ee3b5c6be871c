package org.stillwater.server.api.vm;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import org.springdoc.core.annotations.ParameterObject;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.id.VmId;
import org.stillwater.core.time.EngineClock;
import org.stillwater.core.vm.VmStatisticsView;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.server.api.rows.ListQuery;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.CycleSettings;

/** VMs: {@code /api/v1/vms}. */
@RestController
@RequestMapping("/api/v1/vms")
class VmController {

    private final FleetReader fleet;
    private final EngineClock clock;
    private final VmLists lists;
    private final Callers access;
    private final Duration staleAfter;

    VmController(
            FleetReader fleet,
            EngineClock clock,
            VmLists lists,
            Callers access,
            CycleSettings cycle) {
        this.fleet = fleet;
        this.clock = clock;
        this.lists = lists;
        this.access = access;
        this.staleAfter = cycle.interval().multipliedBy(2);
    }

    @GetMapping
    void list(
            @ParameterObject VmFilter filter,
            @ParameterObject ListQuery query,
            HttpServletRequest request,
            HttpServletResponse response)
            throws IOException {
        lists.answer(filter, query, access.current(), request, response);
    }

    @GetMapping("/{id}")
    VmJsonModule.Vm one(@PathVariable String id) {
        VmView vm = known(Ids.vm(id));
        return new VmJsonModule.Vm(
                vm,
                fleet.tags().set(vm.id()).names(),
                fleet.contested(vm.id()),
                fleet.hypervisor(vm.definition().cluster()));
    }

    @GetMapping("/{id}/statistics")
    VmJsonModule.Statistics statistics(@PathVariable String id) {
        VmView vm = known(Ids.vm(id));
        VmStatisticsView view = fleet.statistics(vm.id());
        return new VmJsonModule.Statistics(vm.id(), view, view == null || isStale(vm, view));
    }

    @GetMapping("/{id}/jobs")
    VmJsonModule.Jobs jobs(@PathVariable String id) {
        VmView vm = known(Ids.vm(id));
        return new VmJsonModule.Jobs(vm.id(), fleet.jobs().of(vm.id()));
    }

    @GetMapping("/{id}/numa")
    VmJsonModule.VmNuma numa(@PathVariable String id) {
        VmView vm = known(Ids.vm(id));
        return new VmJsonModule.VmNuma(vm.id(), fleet.numa(vm.id()));
    }

    private boolean isStale(VmView vm, VmStatisticsView view) {
        Instant now = clock.now();
        return !vm.state().runtime().status().isRunningOrPaused()
                || view.observedAt()
                        .plus(staleAfter)
                        .plusMillis(fleet.slackMillis(vm.state().placement().runOn()))
                        .isBefore(now);
    }

    private VmView known(VmId id) {
        VmView vm = fleet.vm(id);
        if (vm == null || lists.visible(id, access.current()) == null) {
            throw ApiException.notFound("There is no VM " + id + ".");
        }
        return vm;
    }
}
