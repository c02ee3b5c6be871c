package org.stillwater.ovirt.action;

import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.codec.Codec;
import org.stillwater.ovirt.codec.Format;
import org.stillwater.ovirt.fleet.ExternalEvents;
import org.stillwater.ovirt.resource.Answer;
import org.stillwater.ovirt.resource.DefinedDisk;
import org.stillwater.ovirt.resource.Kind;
import org.stillwater.ovirt.resource.OvirtApi;
import org.stillwater.ovirt.resource.Refusal;
import org.stillwater.ovirt.resource.Request;
import org.stillwater.ovirt.resource.Text;
import org.stillwater.ovirt.resource.Writes;
import tools.jackson.databind.JsonNode;

/** Connects the API's requests with their changes. Thread-safe once it is attached. */
public final class ApiWrites implements Writes {

    private final Changes changes;
    private final Codec codec;
    private volatile @Nullable OvirtApi api;

    /** Writes that are not attached yet. */
    public ApiWrites(Changes changes, Codec codec) {
        this.changes = changes;
        this.codec = codec;
    }

    /** Sets the form of added or changed entities; once, before the first request. */
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
        return changes.tellsOfItself(method, path);
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
            // Only mistakes in the bodies of actions come here; they are answered as actions.
            if (changes.isAction(request.method(), request.segments())) {
                return answer(request, Changes.failed(e));
            }
            throw new Refusal(e.status(), e.reason(), e.detail());
        }
    }

    @Override
    public Set<String> parameters(Request request) {
        return QueryRules.names(request.isRead() ? "GET" : request.method(), request.segments());
    }

    @Override
    public @Nullable Answer read(Request request) {
        try {
            if (request.isRead()) {
                QueryRules.check("GET", request.segments(), request.values());
            }
            if (request.segments().size() != 4) {
                return null;
            }
            // Also where a change asks whether there is anything at its path: its body was read
            // then, and it must not be made here.
            Change asked = change(request, "GET", Body.EMPTY);
            Text viewer =
                    request.method().equals("GET")
                                    && request.wantsViewer()
                                    && !request.isOfOtherSite()
                            ? changes.viewer(asked)
                            : null;
            if (viewer != null) {
                return Answer.of(200, request.format(), "action", viewer);
            }
            Outcome outcome = changes.make(asked);
            return outcome == null ? null : answer(request, outcome);
        } catch (Refused e) {
            throw new Refusal(e.status(), e.reason(), e.detail());
        }
    }

    /** The object of an event must be visible to the caller that names it. */
    private void subjects(Request request, Change change) {
        ExternalEvents.SUBJECTS.forEach((element, collection) -> {
            String id = change.body().text(element, "id");
            if (id != null) {
                Object _ = attached().entity(request, List.of(collection, id));
            }
        });
    }

    private Change change(Request request, String method, Body body) {
        return new Change(
                method,
                request.segments(),
                request.values(),
                body,
                request.caller(),
                request.correlation(),
                request.base(),
                request.expectation(),
                new EntityLookup() {
                    @Override
                    public Object entity(String... path) {
                        return told(request, List.of(path));
                    }

                    @Override
                    public JsonNode json(List<String> path) {
                        return codec.mapper(Format.JSON).valueToTree(told(request, path));
                    }

                    @Override
                    public List<DefinedDisk> disks(String id) {
                        return attached().disks(id);
                    }
                });
    }

    private OvirtApi attached() {
        return Objects.requireNonNull(api, "not attached");
    }

    private Object told(Request request, List<String> path) {
        try {
            return attached().entity(request, path);
        } catch (Refusal e) {
            throw e.status() == 404 ? Refused.notFound(path.getFirst(), path.getLast()) : e;
        }
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
        Answer answer =
                attached()
                        .shown(
                                request,
                                outcome.status(),
                                List.of(shown.split("/", -1)),
                                outcome.isOfNextRun());
        return outcome.status() == 201
                ? answer.with("Location", request.base() + "/" + shown)
                : answer;
    }
}
