package org.stillwater.server.api.operation;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationState;
import org.stillwater.core.store.OperationStore;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.server.api.rows.VisiblePage;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.CallerScope;
import org.stillwater.server.api.web.Correlation;
import org.stillwater.server.api.web.EnumNames;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.Streams;
import org.stillwater.server.settings.IfCommandsAreEnabled;
import org.stillwater.server.settings.RestSettings;
import org.stillwater.server.settings.StreamSettings;
import tools.jackson.databind.json.JsonMapper;

/** Operations: {@code /api/v1/operations}. */
@IfCommandsAreEnabled
@RestController
@RequestMapping("/api/v1/operations")
class OperationController {

    /** Identities as PostgreSQL orders them, which Java does not. */
    private static final Comparator<UUID> UNSIGNED = Comparator.comparing(UUID::toString);

    private static final Comparator<Operation> NEWEST_FIRST =
            Comparator.comparing(Operation::createdAt)
                    .thenComparing(Operation::id, UNSIGNED)
                    .reversed();

    private static final Map<String, OperationKind> KINDS =
            EnumNames.of(OperationKind.values(), OperationKind::label);
    private static final Map<String, OperationState> STATES =
            EnumNames.of(OperationState.values(), OperationState::label);

    /** Pages of operations that are looked through for a caller that may see few of them. */
    private static final int MOST_LOOKS = 4;

    private final Commands commands;
    private final RestSettings settings;
    private final CallerScope scope;
    private final OperationFollowers followers;
    private final Streams streams;
    private final StreamSettings stream;
    private final JsonMapper mapper;

    OperationController(
            Commands commands,
            RestSettings settings,
            CallerScope scope,
            OperationFollowers followers,
            Streams streams,
            StreamSettings stream,
            JsonMapper mapper) {
        this.scope = scope;
        this.followers = followers;
        this.streams = streams;
        this.stream = stream;
        this.mapper = mapper;
        this.commands = commands;
        this.settings = settings;
    }

    @GetMapping
    OperationJsonModule.Operations list(
            @RequestParam(defaultValue = "") String vm,
            @RequestParam(defaultValue = "") String host,
            @RequestParam(defaultValue = "") String kind,
            @RequestParam(defaultValue = "") String state,
            @RequestParam(defaultValue = "") String batch,
            @RequestParam(defaultValue = "") String cursor,
            @RequestParam(required = false) @Nullable Integer limit) {
        int size = checked(limit);
        Place after = cursor.isEmpty() ? null : Place.parse(cursor);
        VmId vmId = vm.isBlank() ? null : scope.vm(vm);
        HostId hostId = host.isBlank() ? null : scope.host(host);
        OperationKind ofKind = word("kind", kind, KINDS);
        OperationState inState = word("state", state, STATES);
        UUID ofBatch = batch.isBlank() ? null : Ids.uuid("batch", batch);
        Caller caller = scope.caller();
        boolean all = caller.has(Role.READER);
        VisiblePage<Operation> look =
                VisiblePage.through(
                        (last, most) -> {
                            Place from = last == null ? after : Place.of(last);
                            return find(
                                    new OperationStore.Filter(
                                            vmId,
                                            hostId,
                                            ofKind,
                                            inState,
                                            ofBatch,
                                            from == null ? null : from.at(),
                                            from == null ? null : from.id(),
                                            most),
                                    from);
                        },
                        each -> all || scope.has(Role.READER, each, caller),
                        size,
                        all ? size + 1 : settings.maxPageSize(),
                        all ? 1 : MOST_LOOKS);
        Operation last = look.next(size);
        return new OperationJsonModule.Operations(
                look.told(size).stream().map(commands::view).toList(),
                last == null ? null : Place.of(last).cursor());
    }

    /** Every open operation is in memory; of ended ones the newest are. */
    private List<Operation> find(OperationStore.Filter filter, @Nullable Place after) {
        Map<UUID, Operation> found = new LinkedHashMap<>();
        commands.engine()
                .operations(each -> meets(filter, after, each))
                .forEach(each -> found.put(each.id(), each));
        boolean onlyOpen = filter.state() != null && !filter.state().isEnd();
        if (!onlyOpen) {
            try {
                commands.engine().history(filter).stream()
                        .filter(each -> meets(filter, after, each))
                        .forEach(each -> found.putIfAbsent(each.id(), each));
            } catch (StoreUnavailable e) {
                throw ApiException.unavailable(
                        "The database does not answer, and only open operations (state=queued,"
                                + " state=running) are all in memory: "
                                + e.getMessage());
            }
        }
        return found.values().stream().sorted(NEWEST_FIRST).limit(filter.limit()).toList();
    }

    private static boolean meets(
            OperationStore.Filter filter, @Nullable Place after, Operation operation) {
        return is(filter.vm(), operation.vm())
                && is(filter.host(), operation.host())
                && is(filter.kind(), operation.kind())
                && is(filter.state(), operation.state())
                && is(filter.batch(), operation.origin().batch())
                && (after == null || after.isBefore(operation));
    }

    private static boolean is(@Nullable Object wanted, @Nullable Object value) {
        return wanted == null || wanted.equals(value);
    }

    private static <E> @Nullable E word(String name, String text, Map<String, E> words) {
        if (text.isBlank()) {
            return null;
        }
        E value = words.get(text);
        if (value == null) {
            throw ApiException.badRequest(
                    "%s \"%s\" is not one of %s"
                            .formatted(
                                    name,
                                    Ids.shortened(text),
                                    String.join(", ", words.keySet().stream().sorted().toList())));
        }
        return value;
    }

    @GetMapping("/{id}")
    OperationJsonModule.OperationView one(@PathVariable String id) {
        Operation operation = commands.operation(Ids.uuid(id));
        scope.check(operation, false);
        return commands.view(operation);
    }

    /**
     * The operation, then every step as it is taken, until it has ended: events {@code snapshot},
     * {@code changed} and {@code end}, each with the operation as it is then.
     */
    @GetMapping("/{id}/events")
    void events(@PathVariable String id, HttpServletRequest request, HttpServletResponse response)
            throws IOException, InterruptedException {
        UUID wanted = Ids.uuid(id);
        scope.check(commands.operation(wanted), false);
        Caller reader = scope.caller();
        Batch alone = followers.enter(wanted);
        try (Streams.Place place = streams.enter(scope.standing(), request, response);
                Batch.Follower follower = alone.follow()) {
            place.tells(reader, follower::close);
            // Followed before it is read, so that no step is missed.
            Operation now = commands.operation(wanted);
            alone.loaded(List.of(now));
            response.setContentType("text/event-stream;charset=UTF-8");
            response.setHeader(HttpHeaders.CACHE_CONTROL, "no-store");
            response.setHeader("X-Accel-Buffering", "no");
            BatchStream out = new BatchStream(response.getOutputStream(), mapper);
            if (Streams.isHead(request)) {
                out.heartBeat(); // sends the head
            } else {
                write(follower, now, out);
            }
        } finally {
            followers.leave(alone);
        }
    }

    private void write(Batch.Follower follower, Operation first, BatchStream out)
            throws IOException, InterruptedException {
        Operation told = first;
        out.operation("snapshot", commands.view(told));
        while (!follower.isClosed() && !told.isEnded()) {
            List<Operation> changed = follower.next(stream.heartBeat());
            if (follower.isClosed()) {
                return; // perhaps because the reader lost its rights
            }
            if (changed.isEmpty()) {
                out.heartBeat();
            } else if (!changed.getLast().equals(told)) {
                told = changed.getLast();
                if (!told.isEnded()) {
                    out.operation("changed", commands.view(told));
                }
            }
        }
        if (told.isEnded()) {
            out.operation("end", commands.view(told));
        }
    }

    /** 202 when it is being taken back, 409 when it cannot be. */
    @PostMapping("/{id}/cancel")
    ResponseEntity<OperationJsonModule.OperationView> cancel(
            @PathVariable String id, @RequestAttribute(Correlation.ATTRIBUTE) String correlation) {
        Operation operation = commands.operation(Ids.uuid(id));
        scope.check(operation, true);
        String refusal = commands.engine().cancel(operation.id(), Commands.origin(correlation));
        if (refusal != null) {
            throw ApiException.conflict(
                    "The operation is %s and cannot be taken back: %s."
                            .formatted(
                                    commands.operation(operation.id()).state().label(), refusal));
        }
        return commands.accepted(commands.operation(operation.id()));
    }

    private int checked(@Nullable Integer limit) {
        int wanted = limit == null ? settings.defaultPageSize() : limit;
        if (wanted < 1 || wanted > settings.maxPageSize()) {
            throw ApiException.badRequest("limit must be 1 to " + settings.maxPageSize());
        }
        return wanted;
    }

    /** A position in the order: new and ended operations move no other one. */
    private record Place(Instant at, UUID id) {

        static Place of(Operation last) {
            return new Place(last.createdAt(), last.id());
        }

        boolean isBefore(Operation operation) {
            int byAge = operation.createdAt().compareTo(at);
            return byAge < 0 || (byAge == 0 && UNSIGNED.compare(operation.id(), id) < 0);
        }

        String cursor() {
            return Base64.getUrlEncoder()
                    .withoutPadding()
                    .encodeToString((at + " " + id).getBytes(StandardCharsets.UTF_8));
        }

        static Place parse(String cursor) {
            try {
                String text =
                        new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.UTF_8);
                String[] parts = text.split(" ", -1);
                if (parts.length == 2) {
                    return new Place(Instant.parse(parts[0]), UUID.fromString(parts[1]));
                }
            } catch (IllegalArgumentException | DateTimeException _) {
                // answered below like any other cursor that was not given out for this list
            }
            throw ApiException.badRequest("cursor does not belong to this list");
        }
    }
}
