package org.stillwater.server.api.operation;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.command.operation.Answer;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Correlation;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.api.web.Streams;
import org.stillwater.server.security.AuditedAs;
import org.stillwater.server.settings.IfCommandsAreEnabled;
import org.stillwater.server.settings.RestSettings;
import org.stillwater.server.settings.StreamSettings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The same with many VMs: {@code POST /api/v1/vms:batch}, and {@code /api/v1/batches}. */
@IfCommandsAreEnabled
@RestController
class BatchController {

    private final Commands commands;
    private final Batches batches;
    private final BatchRequests requests;
    private final Streams streams;
    private final RestSettings rest;
    private final StreamSettings settings;
    private final JsonMapper mapper;
    private final CallerScope scope;

    BatchController(
            Commands commands,
            Batches batches,
            BatchRequests requests,
            Streams streams,
            RestSettings rest,
            StreamSettings settings,
            JsonMapper mapper,
            CallerScope scope) {
        this.scope = scope;
        this.commands = commands;
        this.batches = batches;
        this.requests = requests;
        this.streams = streams;
        this.rest = rest;
        this.settings = settings;
        this.mapper = mapper;
    }

    /**
     * Result for one VM.
     *
     * @param vmId the VM
     * @param operation its operation, null without one, or in a dry run
     * @param problem why nothing is, null if something is
     */
    record Item(
            String vmId,
            OperationJsonModule.@Nullable OperationView operation,
            @Nullable ProblemDetail problem) {}

    /**
     * A batch that was requested.
     *
     * @param id the batch; null if nothing of it is done, or of a dry run
     * @param matched how many VMs the request names, or its filter matches
     * @param accepted how many operations it has, or would have
     * @param refused how many VMs nothing is done with
     * @param items one for each VM, in the order in which they were named; those of a filter by
     *     their names
     */
    record Begun(@Nullable String id, int matched, int accepted, int refused, List<Item> items) {}

    /**
     * How far a batch is.
     *
     * @param id the batch
     * @param total how many operations it has
     * @param counts how many are in each state
     * @param ended whether all of them have ended
     * @param progress how far all of them are, in percent
     */
    record Progress(
            String id, int total, Map<String, Integer> counts, boolean ended, int progress) {

        static Progress of(Batch batch) {
            List<Operation> all = batch.all();
            Map<String, Integer> counts = new LinkedHashMap<>();
            batch.counts().forEach((state, count) -> counts.put(state.label(), count));
            long sum =
                    all.stream()
                            .mapToInt(each -> each.isEnded() ? 100 : each.progress())
                            .asLongStream()
                            .sum();
            return new Progress(
                    batch.id().toString(),
                    all.size(),
                    counts,
                    batch.isEnded(),
                    all.isEmpty() ? 100 : (int) (sum / all.size()));
        }
    }

    /** The same with some of its operations; {@code next} is the cursor of the others, or null. */
    record Page(
            Progress batch, List<OperationJsonModule.OperationView> items, @Nullable String next) {}

    @AuditedAs({
        AuditEvent.VM_OPERATION_ASKED,
        AuditEvent.VM_OPERATION_DONE,
        AuditEvent.VM_OPERATION_FAILED,
        AuditEvent.USER_UPDATE_VM
    })
    @PostMapping("/api/v1/vms:batch")
    ResponseEntity<Begun> begin(
            @RequestAttribute(Correlation.ATTRIBUTE) String correlation,
            @RequestBody JsonNode body) {
        JsonObjectReader members = JsonObjectReader.of(body);
        VmAction action = VmAction.of(members.requiredText("action"));
        List<VmId> vms = requests.vms(members);
        JsonObjectReader parameters = members.object("parameters");
        boolean isDryRun = members.flag("dryRun", false);
        members.end();
        BatchRequests.Planned planned =
                requests.plan(
                        action, vms, parameters == null ? JsonObjectReader.empty() : parameters);
        return isDryRun || vms.isEmpty() ? check(vms, planned) : submit(vms, planned, correlation);
    }

    /** Returns the refusals that a batch would get; nothing begins. */
    private ResponseEntity<Begun> check(List<VmId> vms, BatchRequests.Planned planned) {
        Map<VmId, ProblemDetail> refusals = new HashMap<>(planned.refusals());
        List<OperationRequest> free = planned.requests();
        List<Answer.@Nullable Refused> found;
        try {
            found = commands.engine().check(free);
        } catch (StoreUnavailable e) {
            throw Commands.unread("The definition of a VM", e);
        }
        for (int i = 0; i < free.size(); i++) {
            Answer.Refused refused = found.get(i);
            if (refused != null) {
                refusals.put(free.get(i).vm(), BatchRequests.problem(Commands.problem(refused)));
            }
        }
        return ResponseEntity.ok(
                new Begun(
                        null,
                        vms.size(),
                        vms.size() - refusals.size(),
                        refusals.size(),
                        vms.stream()
                                .map(vm -> new Item(vm.toString(), null, refusals.get(vm)))
                                .toList()));
    }

    private ResponseEntity<Begun> submit(
            List<VmId> vms, BatchRequests.Planned planned, String correlation) {
        Map<VmId, ProblemDetail> refusals = planned.refusals();
        Batch batch = batches.begin(UUID.randomUUID());
        Iterator<Answer> answers =
                batches.answered(
                                batch,
                                () ->
                                        commands.awaitAll(
                                                commands.engine()
                                                        .submit(
                                                                planned.requests(),
                                                                Commands.origin(correlation)
                                                                        .in(batch.id(), 0)),
                                                "batch=" + batch.id()))
                        .iterator();
        List<Item> items = new ArrayList<>(vms.size());
        int accepted = 0;
        for (VmId id : vms) {
            String vm = id.toString();
            ProblemDetail refusal = refusals.get(id);
            if (refusal != null) {
                items.add(new Item(vm, null, refusal));
                continue;
            }
            switch (answers.next()) {
                case Answer.Accepted(Operation operation) -> {
                    accepted++;
                    items.add(new Item(vm, commands.view(operation), null));
                }
                case Answer.Refused refused ->
                        items.add(
                                new Item(
                                        vm,
                                        null,
                                        BatchRequests.problem(Commands.problem(refused))));
            }
        }
        if (accepted == 0) {
            batches.drop(batch);
            return ResponseEntity.ok(new Begun(null, vms.size(), 0, vms.size(), items));
        }
        return ResponseEntity.accepted()
                .location(URI.create("/api/v1/batches/" + batch.id()))
                .body(
                        new Begun(
                                batch.id().toString(),
                                vms.size(),
                                accepted,
                                vms.size() - accepted,
                                items));
    }

    @GetMapping("/api/v1/batches/{id}")
    Page one(
            @PathVariable String id,
            @RequestParam(defaultValue = "") String cursor,
            @RequestParam(required = false) @Nullable Integer limit) {
        Batch batch = known(id);
        int wanted = limit == null ? rest.defaultPageSize() : limit;
        if (wanted < 0 || wanted > rest.maxPageSize()) {
            throw ApiException.badRequest("limit must be 0 to " + rest.maxPageSize());
        }
        List<Operation> all = batch.all();
        int from = Math.min(offset(cursor), all.size());
        int to = Math.min(from + wanted, all.size());
        return new Page(
                Progress.of(batch),
                all.subList(from, to).stream().map(commands::view).toList(),
                to < all.size() && wanted > 0 ? Integer.toString(to) : null);
    }

    /** The operations of a batch neither come nor go, so an offset is a position. */
    private static int offset(String cursor) {
        try {
            int offset = cursor.isEmpty() ? 0 : Integer.parseInt(cursor);
            if (offset >= 0) {
                return offset;
            }
        } catch (NumberFormatException _) {
            // answered below
        }
        throw ApiException.badRequest("cursor does not belong to this list");
    }

    private Batch known(String text) {
        UUID id = Ids.uuid(text);
        Batch batch;
        try {
            batch = batches.find(id);
        } catch (StoreUnavailable e) {
            throw Commands.unread("The batch", e);
        }
        if (batch == null) {
            throw ApiException.notFound("There is no batch " + id + ".");
        }
        Caller caller = scope.caller();
        if (!batch.all().stream().allMatch(each -> scope.has(Role.READER, each, caller))) {
            throw ApiException.notFound("There is no batch " + id + ".");
        }
        return batch;
    }

    /**
     * Cancelled operations of a batch.
     *
     * @param cancelling how many operations are being taken back
     * @param items those that are not, and why
     */
    record Cancelled(int cancelling, List<NotCancelled> items) {}

    /** An operation that cannot be taken back. */
    record NotCancelled(String id, String vmId, String reason) {}

    /** Cancels the operations that can be cancelled; ended ones are not listed. */
    @PostMapping("/api/v1/batches/{id}/cancel")
    ResponseEntity<Cancelled> cancel(
            @PathVariable String id, @RequestAttribute(Correlation.ATTRIBUTE) String correlation) {
        int cancelling = 0;
        List<NotCancelled> items = new ArrayList<>();
        Batch batch = known(id);
        batch.all().forEach(operation -> scope.check(operation, true));
        for (Operation operation : batch.all()) {
            if (operation.isEnded()) {
                continue;
            }
            String refusal = commands.engine().cancel(operation.id(), Commands.origin(correlation));
            if (refusal == null) {
                cancelling++;
            } else {
                items.add(
                        new NotCancelled(
                                operation.id().toString(),
                                String.valueOf(operation.vm()),
                                Commands.sentence(refusal)));
            }
        }
        return ResponseEntity.accepted().body(new Cancelled(cancelling, items));
    }

    /** Its operations, then each that changed with the progress of all, until all have ended. */
    @GetMapping("/api/v1/batches/{id}/events")
    void events(@PathVariable String id, HttpServletRequest request, HttpServletResponse response)
            throws IOException, InterruptedException {
        Batch batch = known(id);
        Caller reader = scope.caller();
        try (Streams.Place place = streams.enter(scope.standing(), request, response);
                Batch.Follower follower = batch.follow()) {
            place.tells(reader, follower::close);
            response.setContentType("text/event-stream;charset=UTF-8");
            response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
            response.setHeader("X-Accel-Buffering", "no");
            BatchStream stream = new BatchStream(response.getOutputStream(), mapper);
            if (Streams.isHead(request)) {
                stream.heartBeat(); // sends the head
                return;
            }
            stream.snapshot(batch, commands::view, settings.snapshotChunk());
            while (!follower.isClosed() && !batch.isEnded()) {
                List<Operation> changed = follower.next(settings.heartBeat());
                if (follower.isClosed()) {
                    break;
                }
                if (changed.isEmpty()) {
                    stream.heartBeat();
                } else {
                    stream.changed(batch, changed.stream().map(commands::view).toList());
                }
            }
            if (batch.isEnded() && !follower.isClosed()) {
                stream.changed(
                        batch, follower.next(Duration.ZERO).stream().map(commands::view).toList());
                stream.end(batch);
            }
        }
    }
}
