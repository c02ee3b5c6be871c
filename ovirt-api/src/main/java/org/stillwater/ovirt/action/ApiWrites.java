package org.stillwater.ovirt.action;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.codec.Codec;
import org.stillwater.ovirt.codec.Format;
import org.stillwater.ovirt.fleet.ExternalEvents;
import org.stillwater.ovirt.resource.Answer;
import org.stillwater.ovirt.resource.Kind;
import org.stillwater.ovirt.resource.OvirtApi;
import org.stillwater.ovirt.resource.Refusal;
import org.stillwater.ovirt.resource.Request;
import org.stillwater.ovirt.resource.Writes;

/** Between the API's requests and what they change. Thread-safe once it is attached. */
public final class ApiWrites implements Writes {

    private static final Map<String, String> ITEMS =
            Map.of("vms", "vm", "vmpools", "vm_pool", "events", "event");

    private final Changes changes;
    private final Codec codec;
    private volatile @Nullable OvirtApi api;

    /** Writes that are not attached yet. */
    public ApiWrites(Changes changes, Codec codec) {
        this.changes = changes;
        this.codec = codec;
    }

    /** Says how entities look that were added or changed; once, before the first request. */
    public void attach(OvirtApi told) {
        api = told;
    }

    @Override
    public List<String> actions(Kind kind) {
        return changes.actions(kind.path());
    }

    @Override
    public List<String> methods(List<String> path) {
        return changes.methods(path);
    }

    @Override
    public boolean tellsOfItself(String method, List<String> path) {
        return Changes.tellsOfItself(method, path);
    }

    @Override
    public @Nullable Answer answer(Request request) {
        try {
            Change change = change(request, request.method(), body(request));
            if (change.method().equals("POST") && change.path().equals(List.of("events"))) {
                subjects(request, change);
            }
            Outcome outcome = changes.make(change);
            return outcome == null ? null : answer(request, outcome);
        } catch (Refused e) {
            // Of actions only what is wrong with the body comes here; they are answered as such.
            if (Changes.isAction(request.method(), request.segments())) {
                return answer(request, Changes.failed(e));
            }
            throw new Refusal(e.status(), e.reason(), e.detail());
        }
    }

    @Override
    public @Nullable Answer read(Request request) {
        if (request.segments().size() != 4) {
            return null;
        }
        try {
            // Also where a change asks whether there is anything at its path: its body was read
            // then, and it must not be made here.
            Outcome outcome = changes.make(change(request, "GET", Body.EMPTY));
            return outcome == null ? null : answer(request, outcome);
        } catch (Refused e) {
            throw new Refusal(e.status(), e.reason(), e.detail());
        }
    }

    /** What an event is said to be about must be there for whoever says so. */
    private void subjects(Request request, Change change) {
        ExternalEvents.SUBJECTS.forEach((element, collection) -> {
            String id = change.body().text(element, "id");
            if (id != null) {
                Object _ =
                        Objects.requireNonNull(api, "not attached")
                                .entity(request, List.of(collection, id));
            }
        });
    }

    private static Change change(Request request, String method, Body body) {
        return new Change(
                method,
                request.segments(),
                request.values(),
                body,
                request.caller(),
                request.correlation(),
                request.base(),
                request.expectation());
    }

    private Body body(Request request) {
        try {
            return Body.read(
                    request.body(),
                    changes.limits().largestBody(),
                    codec.mapper(Format.XML),
                    codec.mapper(Format.JSON));
        } catch (IOException e) {
            // The client went away, stopped sending, or broke the framing of HTTP.
            throw Refused.invalid("The body ended before it was complete.");
        }
    }

    private Answer answer(Request request, Outcome outcome) {
        String shown = outcome.shown();
        if (shown == null) {
            return Answer.of(
                    outcome.status(),
                    request.format(),
                    Objects.requireNonNull(outcome.root()),
                    Objects.requireNonNull(outcome.entity()));
        }
        List<String> path = List.of(shown.split("/", -1));
        Object entity = Objects.requireNonNull(api, "not attached").entity(request, path);
        if (entity == null) {
            throw Refusal.unknown(path.getLast());
        }
        Answer answer =
                Answer.of(
                        outcome.status(),
                        request.format(),
                        Objects.requireNonNull(ITEMS.get(path.getFirst())),
                        entity);
        return outcome.status() == 201
                ? answer.with("Location", request.base() + "/" + shown)
                : answer;
    }
}
