package org.stillwater.server.api.cluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.monitoring.MonitoringEngine;
import org.stillwater.monitoring.MonitoringHealth;
import org.stillwater.monitoring.host.HostHealth;
import org.stillwater.monitoring.write.WriterState;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Json;
import org.stillwater.server.meter.StableCycles;
import org.stillwater.server.settings.ObservationSettings;

/** The fleet in numbers: {@code /api/v1/summary}. */
@RestController
@RequestMapping("/api/v1/summary")
class SummaryController {

    private final MonitoringEngine engine;
    private final StableCycles cycles;
    private final int names;
    private final CallerScope scope;

    SummaryController(
            MonitoringEngine engine,
            StableCycles cycles,
            ObservationSettings settings,
            CallerScope scope) {
        this.scope = scope;
        this.engine = engine;
        this.cycles = cycles;
        this.names = settings.namesInHealth();
    }

    /**
     * The answer; of hosts and VMs those that the caller may read.
     *
     * @param revision revision of the newest change
     * @param hosts hosts by status
     * @param vms VMs by status
     * @param durable whether changes reach the database
     * @param waitingRows changes that are not written yet
     * @param lastCycleSql statements of the last cycle interval, null before its end
     * @param stableCycles cycle intervals in which nothing changed
     * @param trouble matters for an administrator, a few sentences
     */
    record Summary(
            long revision,
            Map<String, Integer> hosts,
            Map<String, Integer> vms,
            boolean durable,
            int waitingRows,
            @Nullable Long lastCycleSql,
            long stableCycles,
            List<String> trouble) {}

    @GetMapping
    Summary summary() {
        Caller caller = scope.caller();
        boolean readsAll = caller.has(Role.READER);
        Map<String, Integer> hosts = new TreeMap<>();
        engine.fleet().hosts().stream()
                .filter(host -> caller.has(Role.READER, host.state().definition().cluster()))
                .forEach(host -> count(hosts, host.state().status()));
        Map<String, Integer> vms = new TreeMap<>();
        if (readsAll) {
            engine.fleet()
                    .vmsByStatus()
                    .forEach((status, count) -> vms.put(Json.word(status), count));
        } else {
            engine.fleet().readings().stream()
                    .filter(vm -> caller.has(Role.READER, vm.id(), vm.definition().cluster()))
                    .forEach(vm -> count(vms, vm.state().runtime().status()));
        }
        MonitoringHealth health = engine.health();
        return new Summary(
                engine.fleet().revision(),
                hosts,
                vms,
                health.isDurable(),
                health.writer().waiting(),
                cycles.lastSql(),
                cycles.stable(),
                trouble(health, caller));
    }

    private static void count(Map<String, Integer> counts, Enum<?> status) {
        counts.merge(Json.word(status), 1, Integer::sum);
    }

    private List<String> trouble(MonitoringHealth health, Caller caller) {
        List<String> trouble = new ArrayList<>();
        WriterState writer = health.writer();
        boolean readsAll = caller.has(Role.READER);
        if (!health.isDurable() && !readsAll) {
            trouble.add("The engine does not write changes to the database at present");
        } else if (!health.isDurable()) {
            trouble.add(
                    "Not durable since %s, %d changes wait: %s"
                            .formatted(
                                    writer.notDurableSince(),
                                    writer.waiting(),
                                    writer.notDurableReason()));
        }
        if (readsAll && !writer.rejected().isEmpty()) {
            trouble.add("The database rejects %d rows".formatted(writer.rejected().size()));
        }
        long givenUp = health.audit().givenUp();
        if (readsAll && givenUp > 0) {
            trouble.add("%d audit entries were given up: too many wait".formatted(givenUp));
        }
        if (readsAll) {
            health.refusedHosts().stream().limit(names).forEach(trouble::add);
        }
        List<HostHealth> failing =
                health.unwell().stream()
                        .filter(host -> host.reason() != null)
                        .filter(host -> caller.has(Role.READER, host.definition().cluster()))
                        .toList();
        failing.stream()
                .limit(names)
                .forEach(host -> trouble.add(host.definition().name() + ": " + host.reason()));
        if (failing.size() > names) {
            trouble.add("and %d more hosts".formatted(failing.size() - names));
        }
        return trouble;
    }
}
