package org.stillwater.fake.xapi.world;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.fake.xapi.codec.Arguments;
import org.stillwater.fake.xapi.codec.Reply;
import org.stillwater.fake.xapi.codec.Request.Malformed;
import org.stillwater.fake.xapi.model.Datamodel;
import org.stillwater.fake.xapi.model.XClass;
import org.stillwater.fake.xapi.model.XClass.XField;
import org.stillwater.fake.xapi.model.XClass.XMessage;
import org.stillwater.fake.xapi.model.XClass.XParameter;
import org.stillwater.fake.xapi.model.XType;
import org.stillwater.fake.xapi.world.Store.Row;

/**
 * Resolves a method name, checks session, role and arguments as XAPI does, and answers. The
 * datamodel answers getters and setters; a table has the rest. A message of the datamodel that is
 * in neither is refused with {@code NOT_IMPLEMENTED}.
 *
 * <p>It is long because it is a table with a row for each method.
 */
final class Calls {

    /** A call with its arguments read, the session left out. */
    record Call(
            XMessage message, String session, String role, String host, List<Object> arguments) {
        String text(int index) {
            return (String) arguments.get(index);
        }

        boolean has(int index) {
            return index < arguments.size();
        }
    }

    private interface Handler {
        @Nullable Object answer(Call call);
    }

    private static final String ASYNC = "Async.";

    private static final XParameter SESSION =
            new XParameter("session_id", new XType.RefTo("session"), false);

    private static final String EXTENSION = "host.call_extension";

    private final Pool pool;
    private final Datamodel datamodel;
    private final Map<String, Handler> handlers = new HashMap<>();

    Calls(Pool pool) {
        this.pool = pool;
        this.datamodel = pool.store.datamodel();
        plain();
        work();
    }

    private void plain() {
        handlers.put(
                "session.login_with_password",
                call ->
                        pool.sessions.login(
                                call.text(0),
                                call.text(1),
                                call.has(3) ? call.text(3) : "",
                                call.host));
        handlers.put("session.logout", call -> after(() -> pool.sessions.logout(call.session)));
        handlers.put("event.inject", call -> pool.events.inject(call.text(0), call.text(1)));
        handlers.put("event.get_current_id", _ -> pool.store.generation());
        handlers.put(
                "host.get_servertime",
                call ->
                        WorldClock.wire(
                                pool.clock
                                        .now()
                                        .plusSeconds(
                                                pool.hosts.skewSeconds(row("host", call).ref()))));
        handlers.put("task.cancel", call -> after(() -> own(call, pool.tasks::cancel)));
        handlers.put("task.destroy", call -> after(() -> own(call, pool.tasks::destroy)));
        handlers.put(
                "message.create",
                call -> {
                    Map<String, Object> fields = new HashMap<>();
                    fields.put("name", call.text(0));
                    fields.put("priority", call.arguments.get(1));
                    fields.put("cls", call.text(2));
                    fields.put("obj_uuid", call.text(3));
                    fields.put("body", call.text(4));
                    fields.put("timestamp", pool.clock.wireNow());
                    String ref = pool.store.create("message", fields);
                    pool.changed();
                    return ref;
                });
        handlers.put(
                "message.destroy",
                call -> after(() -> pool.store.destroy("message", row("message", call).ref())));
        handlers.put(
                "VM.get_possible_hosts",
                call -> {
                    Row vm = row("VM", call);
                    return pool.store.all("host").stream()
                            .filter(host -> pool.vms.refusal(host, vm) == null)
                            .map(Row::ref)
                            .toList();
                });
        handlers.put(
                "VM.assert_can_boot_here",
                call -> {
                    XapiError refusal =
                            pool.vms.refusal(pool.store.get("host", call.text(1)), row("VM", call));
                    if (refusal != null) {
                        throw refusal;
                    }
                    return "";
                });
        handlers.put(
                "VM.assert_operation_valid",
                call -> {
                    Row vm = row("VM", call);
                    boolean agent =
                            pool.store.find("VM_guest_metrics", vm.text("guest_metrics")) != null;
                    XapiError refusal = VmOperations.check(vm, agent, call.text(1));
                    if (refusal != null) {
                        throw refusal;
                    }
                    return "";
                });
        handlers.put(
                "VM.update_allowed_operations",
                call -> after(() -> pool.vms.refresh(row("VM", call).ref())));
        handlers.put(
                "pool.designate_new_master", call -> after(() -> pool.hosts.promote(call.text(0))));
        handlers.put("VM.snapshot", call -> pool.vms.copy(call.text(0), "snapshot", call.text(1)));
        handlers.put("VM.clone", call -> pool.vms.copy(call.text(0), "clone", call.text(1)));
        handlers.put("VM.destroy", call -> after(() -> pool.vms.destroy(call.text(0))));
    }

    /** Work that takes time: on VMs by the operation's name, the same on hosts. */
    private void work() {
        for (String each :
                List.of(
                        "clean_shutdown",
                        "shutdown",
                        "hard_shutdown",
                        "clean_reboot",
                        "hard_reboot",
                        "pause",
                        "unpause",
                        "suspend",
                        "power_state_reset")) {
            handlers.put("VM." + each, call -> vm(call, each, null, false));
        }
        for (String each : List.of("start", "resume")) {
            handlers.put(
                    "VM." + each, call -> vm(call, each, null, (Boolean) call.arguments.get(1)));
            handlers.put(
                    "VM." + each + "_on",
                    call -> vm(call, each + "_on", call.text(1), (Boolean) call.arguments.get(2)));
        }
        handlers.put("VM.pool_migrate", call -> vm(call, "pool_migrate", call.text(1), false));
        for (String each : List.of("enable", "disable", "evacuate", "reboot", "shutdown")) {
            handlers.put(
                    "host." + each,
                    call -> {
                        String task = newTask(call);
                        return started(task, () -> pool.hosts.begin(task, call.text(0), each));
                    });
        }
    }

    /**
     * A task that a handler has begun: the caller of {@code Async} gets it, another waits for it.
     */
    private record Started(String task) {}

    private String newTask(Call call) {
        return pool.tasks.create(call.message.fullName(), call.session);
    }

    private Started vm(Call call, String operation, @Nullable String host, boolean paused) {
        String task = newTask(call);
        return started(task, () -> pool.vms.begin(task, call.text(0), operation, host, paused));
    }

    private Started started(String task, Runnable begin) {
        try {
            begin.run();
        } catch (XapiError e) {
            pool.tasks.fail(task, e);
        }
        return new Started(task);
    }

    private static Object after(Runnable work) {
        work.run();
        return "";
    }

    private Row row(String type, Call call) {
        return pool.store.get(type, call.text(0));
    }

    /** Tasks of others may be ended with a role that may change pools only. */
    private void own(Call call, java.util.function.Consumer<String> what) {
        String task = row("task", call).ref();
        if (!call.session.equals(pool.tasks.owner(task))
                && !Sessions.mayUse(call.role, "pool-operator")) {
            throw denied(call.message.fullName() + "/any", "pool-operator");
        }
        what.accept(task);
    }

    Reply answer(String address, String method, List<@Nullable Object> arguments) {
        if (pool.isBooting()) {
            return new Reply.Outside(List.of("HOST_STILL_BOOTING"));
        }
        if (method.equals("system.listMethods")) {
            return new Reply.Bare(listMethods());
        }
        try {
            return new Reply.Success(answerOrThrow(address, method, arguments));
        } catch (XapiError e) {
            return new Reply.Failure(e.description());
        }
    }

    private List<String> listMethods() {
        List<String> names = new ArrayList<>();
        for (XClass type : datamodel.classes().values()) {
            type.messages().values().forEach(each -> names.add(each.fullName()));
        }
        names.sort(null);
        names.add("system.listMethods");
        return names;
    }

    /**
     * Checks in the order of the real server: number and types of the arguments, the session, the
     * host, the role. Source: gen_server.ml, session_check.ml.
     */
    private @Nullable Object answerOrThrow(
            String address, String method, List<@Nullable Object> arguments) {
        boolean async = method.startsWith(ASYNC);
        String called = async ? method.substring(ASYNC.length()) : method;
        XMessage message = message(called);
        if (message == null) {
            // The server looks for an extension of that name, on behalf of a session.
            if (!arguments.isEmpty()) {
                String role = enter(address, (String) read(SESSION, arguments.getFirst()));
                String lowest = Objects.requireNonNull(message(EXTENSION)).role();
                if (!Sessions.mayUse(role, lowest)) {
                    throw denied(EXTENSION, lowest);
                }
            }
            throw new XapiError("MESSAGE_METHOD_UNKNOWN", called);
        }
        int first = message.session() ? 1 : 0;
        List<XParameter> parameters = message.parameters();
        boolean login = message.fullName().equals("session.login_with_password");
        long needed = login ? 2 : parameters.stream().filter(each -> !each.optional()).count();
        int given = arguments.size() - first;
        boolean takesMore = needed < parameters.size(); // those after the optional ones are unused
        if (given < needed || (given > needed && !takesMore)) {
            throw new XapiError(
                    "MESSAGE_PARAMETER_COUNT_MISMATCH",
                    called,
                    Long.toString(needed),
                    Integer.toString(given));
        }
        String session = message.session() ? (String) read(SESSION, arguments.getFirst()) : "";
        List<Object> read = new ArrayList<>();
        for (int i = 0; i < Math.min(given, parameters.size()); i++) {
            read.add(read(parameters.get(i), arguments.get(first + i)));
        }
        String role = message.session() ? enter(address, session) : "pool-admin";
        if (async && !message.async()) {
            throw new XapiError("Fault", "No async mode for this operation (rpc: " + called + ")");
        }
        return perform(new Call(message, session, role, served(address), read), async);
    }

    /** The role of a session at a host. A member knows the sessions of its pool. */
    private String enter(String address, String session) {
        synchronized (pool.lock) {
            String role = pool.sessions.check(session);
            served(address);
            return role;
        }
    }

    /** The host at an address; a member answers for itself only. */
    private String served(String address) {
        synchronized (pool.lock) {
            String host =
                    Objects.requireNonNull(pool.hostAt(address), "no host at the address").ref();
            if (!host.equals(pool.coordinator())) {
                throw new XapiError("HOST_IS_SLAVE", pool.hosts.coordinatorAddress());
            }
            return host;
        }
    }

    /** Source: rbac.ml. */
    private static XapiError denied(String permission, String lowest) {
        String roles =
                Datamodel.ROLES.reversed().stream()
                        .filter(role -> Sessions.mayUse(role, lowest))
                        .collect(Collectors.joining(", "));
        return new XapiError(
                "RBAC_PERMISSION_DENIED",
                permission.toLowerCase(Locale.ROOT),
                "No permission in user session. (Roles with this permission: " + roles + ")");
    }

    private static Object read(XParameter parameter, @Nullable Object given) {
        try {
            return Arguments.read(parameter.type(), given);
        } catch (Malformed e) {
            throw new XapiError("INTERNAL_ERROR", "Failure(\"" + e.getMessage() + "\")");
        }
    }

    private @Nullable Object perform(Call call, boolean async) {
        if (call.message.fullName().equals("event.from")) {
            @SuppressWarnings("unchecked")
            List<String> classes = (List<String>) call.arguments.get(0);
            return pool.events.from(
                    call.session, classes, call.text(1), (Double) call.arguments.get(2));
        }
        Object answer;
        synchronized (pool.lock) {
            Handler handler = handler(call);
            if (async) {
                answer = asTask(call, handler);
            } else {
                answer = handler.answer(call);
            }
        }
        if (!(answer instanceof Started started)) {
            return answer;
        }
        if (async) {
            synchronized (pool.lock) {
                pool.store.set("task", started.task, "name_label", ASYNC + call.message.fullName());
            }
            return started.task;
        }
        Row row = pool.await(started.task);
        synchronized (pool.lock) {
            pool.tasks.destroy(started.task);
            pool.changed();
        }
        if (!row.text("status").equals("success")) {
            List<String> error = row.list("error_info");
            throw new XapiError(
                    error.getFirst(), error.subList(1, error.size()).toArray(String[]::new));
        }
        return "";
    }

    /** A task of {@code Async} begins before the role is checked, and fails then. */
    private Handler handler(Call call) {
        String lowest = call.message.role();
        if (call.message.session() && !Sessions.mayUse(call.role, lowest)) {
            return _ -> {
                throw denied(call.message.fullName(), lowest);
            };
        }
        return handlers.getOrDefault(call.message.fullName(), this::implicit);
    }

    private Object asTask(Call call, Handler handler) {
        Object answer;
        String task = null;
        try {
            answer = handler.answer(call);
            if (answer instanceof Started) {
                return answer;
            }
        } catch (XapiError e) {
            task = newTask(call);
            pool.tasks.fail(task, e);
            return new Started(task);
        }
        task = newTask(call);
        Object result = answer;
        pool.tasks.begin(
                task,
                new Tasks.Work(
                        java.time.Duration.ZERO, () -> Objects.requireNonNull(result), () -> {}));
        return new Started(task);
    }

    private @Nullable XMessage message(String name) {
        int dot = name.indexOf('.');
        if (dot >= 0) {
            XClass type = datamodel.classes().get(name.substring(0, dot));
            return type == null ? null : type.messages().get(name.substring(dot + 1));
        }
        // Class_message: class names have underscores too.
        for (int i = name.indexOf('_'); i >= 0; i = name.indexOf('_', i + 1)) {
            XClass type = datamodel.classes().get(name.substring(0, i));
            XMessage message = type == null ? null : type.messages().get(name.substring(i + 1));
            if (message != null) {
                return message;
            }
        }
        return null;
    }

    /** Getters, setters and lookups, which follow from the fields. */
    private @Nullable Object implicit(Call call) {
        String type = call.message.type();
        String name = call.message.name();
        Store store = pool.store;
        return switch (name) {
            case "get_all" -> store.all(type).stream().map(Row::ref).toList();
            case "get_all_records" -> {
                Map<String, Object> all = new LinkedHashMap<>();
                store.all(type).forEach(each -> all.put(each.ref(), each.fields()));
                yield all;
            }
            case "get_record" -> row(type, call).fields();
            case "get_by_uuid" -> {
                Row found = store.byUuid(type, call.text(0));
                if (found == null) {
                    throw new XapiError("UUID_INVALID", type, call.text(0));
                }
                yield found.ref();
            }
            case "get_by_name_label" ->
                    store.all(type).stream()
                            .filter(each -> each.text("name_label").equals(call.text(0)))
                            .map(Row::ref)
                            .toList();
            default -> field(call, type, name);
        };
    }

    @SuppressWarnings("unchecked")
    private Object field(Call call, String type, String name) {
        XClass known = datamodel.type(type);
        for (String verb : List.of("get_", "set_", "add_to_", "remove_from_", "add_", "remove_")) {
            XField field =
                    name.startsWith(verb) ? known.field(name.substring(verb.length())) : null;
            boolean generated =
                    call.message.implicit() || verb.matches("(get|set|add_to|remove_from)_");
            if (field == null || !generated) {
                continue;
            }
            Row row = row(type, call);
            Object value = row.get(field.name());
            switch (verb) {
                case "get_" -> {
                    return value;
                }
                case "set_" -> set(type, row, field, call.arguments.get(1));
                case "add_to_" -> {
                    Map<String, Object> map = new LinkedHashMap<>((Map<String, Object>) value);
                    if (map.containsKey(call.text(1))) {
                        throw new XapiError(
                                "MAP_DUPLICATE_KEY", type, field.name(), row.ref(), call.text(1));
                    }
                    map.put(call.text(1), call.arguments.get(2));
                    set(type, row, field, map);
                }
                case "remove_from_" -> {
                    Map<String, Object> map = new LinkedHashMap<>((Map<String, Object>) value);
                    map.remove(call.text(1));
                    set(type, row, field, map);
                }
                default -> {
                    List<Object> list = new ArrayList<>((List<Object>) value);
                    if (verb.equals("remove_")) {
                        list.remove(call.arguments.get(1));
                    } else if (!list.contains(call.arguments.get(1))) {
                        list.add(call.arguments.get(1));
                    }
                    set(type, row, field, list);
                }
            }
            return "";
        }
        throw new XapiError("NOT_IMPLEMENTED", call.message.fullName());
    }

    private void set(String type, Row row, XField field, Object value) {
        pool.store.set(type, row.ref(), field.name(), value);
        if (type.equals("VM")) {
            pool.vms.refresh(row.ref());
        }
        pool.changed();
    }
}
