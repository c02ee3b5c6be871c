package org.stillwater.server.api.benchmark;

import io.swagger.v3.oas.annotations.Parameter;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.benchmark.BenchmarkCell;
import org.stillwater.core.benchmark.BenchmarkMatrix;
import org.stillwater.core.benchmark.BenchmarkOperation;
import org.stillwater.core.benchmark.BenchmarkRun;
import org.stillwater.core.benchmark.BenchmarkSubject;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.time.EngineClock;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.benchmark.BenchmarkMonitor;
import org.stillwater.monitoring.benchmark.BenchmarkPermit;
import org.stillwater.monitoring.benchmark.PermittedRun;
import org.stillwater.server.api.benchmark.BenchmarkJson.MatrixItem;
import org.stillwater.server.api.benchmark.BenchmarkJson.PermitItem;
import org.stillwater.server.api.benchmark.BenchmarkJson.PermittedList;
import org.stillwater.server.api.benchmark.BenchmarkJson.RunDetails;
import org.stillwater.server.api.benchmark.BenchmarkJson.RunItem;
import org.stillwater.server.api.benchmark.BenchmarkJson.RunList;
import org.stillwater.server.api.benchmark.BenchmarkJson.SeriesItem;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.security.Rejected;
import org.stillwater.server.settings.BenchmarkSettings;
import org.stillwater.server.settings.RestSettings;
import tools.jackson.databind.JsonNode;

/**
 * Benchmark runs: {@code /api/v1/benchmarks}. Answered from memory. Agents post runs of the VM or
 * host that they have the role for; readers of the object read them.
 */
@RestController
@RequestMapping("/api/v1/benchmarks")
class BenchmarkController {

    private final BenchmarkMonitor monitor;
    private final BenchmarkJson json;
    private final FleetReader fleet;
    private final CallerScope scope;
    private final EngineClock clock;
    private final RestSettings settings;
    private final BenchmarkSettings limits;

    BenchmarkController(
            BenchmarkMonitor monitor,
            FleetReader fleet,
            CallerScope scope,
            EngineClock clock,
            RestSettings settings,
            BenchmarkSettings limits) {
        this.monitor = monitor;
        this.json = new BenchmarkJson(fleet, monitor);
        this.fleet = fleet;
        this.scope = scope;
        this.clock = clock;
        this.settings = settings;
        this.limits = limits;
    }

    @GetMapping
    RunList list(
            @Parameter(description = "Only runs of this VM, by id or name.")
                    @RequestParam(defaultValue = "")
                    String vm,
            @Parameter(description = "Only runs of this host, by id or name.")
                    @RequestParam(defaultValue = "")
                    String host,
            @Parameter(description = "Only runs after this one in the list: the next of a page.")
                    @RequestParam(defaultValue = "")
                    String before,
            @RequestParam(required = false) @Nullable Integer limit) {
        int most = checked(limit);
        BenchmarkSubject only = vm.isBlank() && host.isBlank() ? null : readable(vm, host);
        Caller caller = scope.caller();
        List<BenchmarkRun> all =
                monitor.runs().stream()
                        .filter(run -> only == null || run.subject().equals(only))
                        .filter(run -> has(Role.READER, run.subject(), caller))
                        .toList();
        int from = 0;
        if (!before.isBlank()) {
            BenchmarkRun last = monitor.find(Ids.uuid("before", before.strip()));
            from = last == null ? 0 : all.indexOf(last) + 1;
            if (from == 0) {
                throw ApiException.badRequest("before must be the id of a run of this list");
            }
        }
        List<BenchmarkRun> page = all.subList(from, Math.min(all.size(), from + most));
        return new RunList(
                page.stream().map(json::run).toList(),
                all.size(),
                from + page.size() < all.size() ? page.getLast().id().toString() : null);
    }

    @GetMapping("/{id}")
    RunDetails one(@PathVariable String id) {
        BenchmarkRun run = monitor.find(Ids.uuid(id));
        if (run == null || !has(Role.READER, run.subject(), scope.caller())) {
            throw unknown(id);
        }
        return json.details(run);
    }

    @GetMapping("/matrix")
    MatrixItem matrix(
            @Parameter(description = "The VM, by id or name.") @RequestParam(defaultValue = "")
                    String vm,
            @Parameter(description = "The host, by id or name.") @RequestParam(defaultValue = "")
                    String host) {
        return json.matrix(readable(vm, host));
    }

    @GetMapping("/series")
    SeriesItem series(
            @Parameter(description = "The VM, by id or name.") @RequestParam(defaultValue = "")
                    String vm,
            @Parameter(description = "The host, by id or name.") @RequestParam(defaultValue = "")
                    String host,
            @Parameter(
                            description =
                                    "sequential-read, sequential-write, random-read or"
                                            + " random-write.")
                    @RequestParam
                    String operation,
            @Parameter(description = "Size of each read or write, in bytes.") @RequestParam
                    int recordBytes) {
        BenchmarkSubject subject = readable(vm, host);
        BenchmarkOperation wanted = BenchmarkOperation.ofLabel(operation.strip());
        if (wanted == null) {
            throw ApiException.badRequest(
                    "operation must be sequential-read, sequential-write, random-read or"
                            + " random-write");
        }
        BenchmarkMatrix matrix = monitor.history(subject).newest();
        BenchmarkCell cell = matrix == null ? null : matrix.cell(wanted, recordBytes);
        if (matrix == null || cell == null) {
            throw ApiException.notFound(
                    "No run measured %s with %d bytes.".formatted(wanted.label(), recordBytes));
        }
        return json.series(matrix, cell);
    }

    @PostMapping
    ResponseEntity<RunItem> add(@RequestBody JsonNode body) {
        BenchmarkRun run = read(body);
        checkPosting(run.subject());
        try {
            return switch (monitor.post(run)) {
                case ADDED ->
                        ResponseEntity.created(URI.create("/api/v1/benchmarks/" + run.id()))
                                .body(json.run(run));
                case KNOWN -> ResponseEntity.ok(json.run(run));
                case CONFLICT ->
                        throw ApiException.conflict(
                                "Another run has the identity " + run.id() + ".");
                case TOO_MANY ->
                        throw ApiException.tooMany(
                                "There are %d runs of it of the last 24 hours, which is the most."
                                        .formatted(limits.maxRunsPerDay()));
            };
        } catch (StoreUnavailable e) {
            throw unavailable(e);
        }
    }

    private BenchmarkRun read(JsonNode body) {
        try {
            return BenchmarkReader.run(
                    body, clock.now(), limits.retention(), scope.caller().name());
        } catch (ApiException e) {
            monitor.refuseMalformed();
            throw e;
        }
    }

    /** Runs that agents have a permit for, or did not post in time. */
    @GetMapping("/permits")
    PermittedList permitted(@RequestParam(required = false) @Nullable Integer limit) {
        int most = checked(limit);
        Caller caller = scope.caller();
        List<PermittedRun> all =
                monitor.permitted().stream()
                        .filter(run -> has(Role.READER, run.subject(), caller))
                        .toList();
        return new PermittedList(
                all.stream().limit(most).map(json::permitted).toList(), all.size());
    }

    private int checked(@Nullable Integer limit) {
        int most = limit == null ? settings.defaultPageSize() : limit;
        if (most < 1 || most > settings.maxPageSize()) {
            throw ApiException.badRequest("limit must be 1 to " + settings.maxPageSize());
        }
        return most;
    }

    @PostMapping("/permits")
    PermitItem permit(@RequestBody JsonNode body) {
        BenchmarkPermit.Request request = BenchmarkReader.permit(body);
        checkPosting(request.subject());
        try {
            return BenchmarkJson.permit(monitor.permit(request), clock.now());
        } catch (StoreUnavailable e) {
            throw unavailable(e);
        }
    }

    @DeleteMapping("/{id}")
    ResponseEntity<Void> remove(@PathVariable String id) {
        try {
            if (!monitor.remove(Ids.uuid(id))) {
                throw unknown(id);
            }
        } catch (StoreUnavailable e) {
            throw unavailable(e);
        }
        return ResponseEntity.noContent().build();
    }

    private static ApiException unavailable(StoreUnavailable e) {
        return ApiException.unavailable(
                "Nothing was changed, because the database does not answer: " + e.getMessage());
    }

    private static ApiException unknown(String id) {
        return ApiException.notFound("There is no benchmark run " + Ids.shortened(id) + ".");
    }

    private BenchmarkSubject readable(String vm, String host) {
        BenchmarkSubject subject =
                BenchmarkReader.subject(
                        vm.isBlank() ? null : scope.vm(vm.strip()).toUuid(),
                        host.isBlank() ? null : scope.host(host.strip()).value());
        boolean runs = !monitor.history(subject).runs().isEmpty();
        if ((!runs && !exists(subject)) || !has(Role.READER, subject, scope.caller())) {
            throw unknown(subject);
        }
        return subject;
    }

    /** An object that the caller may not read is answered in the words of an unknown one. */
    private void checkPosting(BenchmarkSubject subject) {
        Caller caller = scope.caller();
        if (exists(subject) && has(Role.BENCHMARKER, subject, caller)) {
            return;
        }
        if (exists(subject) && has(Role.READER, subject, caller)) {
            throw Rejected.forbidden(
                    "This takes the role of a benchmarker of the "
                            + (subject.kind() == BenchmarkSubject.Kind.VM ? "VM." : "host."));
        }
        throw unknown(subject);
    }

    private static ApiException unknown(BenchmarkSubject subject) {
        return ApiException.notFound(
                switch (subject.kind()) {
                    case VM -> "There is no VM " + subject.id() + ".";
                    case HOST -> "There is no host " + subject.id() + ".";
                });
    }

    private boolean exists(BenchmarkSubject subject) {
        return switch (subject.kind()) {
            case VM -> fleet.vm(VmId.of(subject.id())) != null;
            case HOST -> fleet.host(new HostId(subject.id())) != null;
        };
    }

    private boolean has(Role role, BenchmarkSubject subject, Caller caller) {
        return switch (subject.kind()) {
            case VM -> scope.has(role, VmId.of(subject.id()), caller);
            case HOST -> scope.has(role, new HostId(subject.id()), caller);
        };
    }
}
