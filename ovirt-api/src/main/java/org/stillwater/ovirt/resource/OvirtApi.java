package org.stillwater.ovirt.resource;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.definition.VmSpecification;
import org.stillwater.core.host.HostStatus;
import org.stillwater.core.id.VmId;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.ovirt.codec.Format;
import org.stillwater.ovirt.fleet.Fleet;
import org.stillwater.ovirt.model.Api;
import org.stillwater.ovirt.model.Fault;
import org.stillwater.ovirt.model.GraphicsConsole;
import org.stillwater.ovirt.model.Link;
import org.stillwater.ovirt.model.Version;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.ovirt.query.Search;
import org.stillwater.ovirt.resource.Resource.At;
import org.stillwater.ovirt.resource.Resource.Root;

/**
 * The API: takes any request and answers it. Reads never wait and never ask the database.
 * Thread-safe.
 *
 * <p>It is long because it has every step of a request, in order.
 */
public final class OvirtApi {

    /** Identity of the only pool of MAC addresses. */
    public static final String MAC_POOL = ReferenceResources.MAC_POOL;

    /** Identity of the only scheduling policy. */
    public static final String SCHEDULING_POLICY = ReferenceResources.SCHEDULING_POLICY;

    /** Header with the names of the parameters that had no effect. */
    static final String IGNORED = "Ignored-Parameters";

    private static final int MOST_IGNORED = 10;

    /** Parameters of every request. */
    private static final Set<String> COMMON =
            Set.of("accept", "all_content", "correlation_id", "detail", "filter", "follow");

    /** Parameters of every read. */
    private static final Set<String> OF_READS = Set.of("current", "next_run");

    private static final Set<Kind> WITHOUT_LINK =
            EnumSet.of(Kind.OPTION, Kind.EXTERNAL_HOST_PROVIDER);

    private final Tree tree;
    private final UnmanagedObjectsKeeper keeper;
    private final ReferenceData data;

    /** The API over a fleet. */
    public OvirtApi(Fleet fleet, Search search, ReferenceData data, Limits limits, Writes writes) {
        this.tree = new Tree(fleet, search, limits, writes);
        this.keeper = new UnmanagedObjectsKeeper(fleet, data);
        this.data = data;
    }

    /** Every path that is served, for the reference page. */
    public Set<String> paths() {
        return tree.paths();
    }

    /** Mark of a path in the reference page: {@code s} for searchable, {@code –} for empty. */
    String note(String path) {
        Resource<?, ?> at = null;
        for (String segment : path.split("/", -1)) {
            if (!segment.isEmpty() && !segment.equals("{id}")) {
                at = at == null ? tree.tops().get(segment) : at.subs().get(segment);
            }
        }
        if (at == null || path.endsWith("{id}")) {
            return "";
        }
        return at instanceof EmptyResource ? "–" : (at.isSearchable() ? "s" : "");
    }

    /** The fields of every collection that can be searched, by its path, for the reference page. */
    Map<String, Fields<?>> searchable(Caller caller) {
        Request request =
                new Request(
                        new Call(
                                "GET",
                                Request.BASE,
                                null,
                                _ -> null,
                                caller,
                                InputStream::nullInputStream),
                        tree.limits());
        Scope scope = new Scope(request, tree, keeper.kept().surroundings());
        Map<String, Fields<?>> fields = new TreeMap<>();
        tree.tops()
                .forEach((path, top) -> {
                    Fields<?> each = top.fields(scope);
                    if (each != null) {
                        fields.put(path, each);
                    }
                });
        return fields;
    }

    /** Storage domains and disks as answers show them now. */
    public StorageReport storage() {
        return new StorageReport(tree.fleet(), keeper.kept().surroundings());
    }

    /** Answers; a request that is not fulfilled is answered with a fault. */
    public Answer answer(Call call) {
        Request request;
        try {
            request = new Request(call, tree.limits());
        } catch (Refusal refusal) {
            return fault(Request.formatOf(call, null), refusal);
        }
        try {
            Answer answer = request.isRead() ? read(request) : write(request);
            String ignored = ignored(request);
            if (!ignored.isEmpty()) {
                answer = answer.with(IGNORED, ignored);
            }
            return request.correlation().isEmpty()
                    ? answer
                    : answer.with("Correlation-Id", request.correlation());
        } catch (Refusal refusal) {
            return fault(request.format(), refusal);
        }
    }

    /**
     * Names of the parameters that have no effect on this request, by commas: oVirt ignores them,
     * and its clients send some everywhere.
     */
    private String ignored(Request request) {
        Set<String> unknown = new TreeSet<>(request.values().keySet());
        unknown.removeAll(COMMON);
        if (unknown.isEmpty()) {
            return "";
        }
        unknown.removeAll(tree.writes().parameters(request));
        if (request.isRead()) {
            unknown.removeAll(OF_READS);
        }
        Resource<?, ?> at = request.isRead() ? collection(request.segments()) : null;
        if (at != null) {
            if (at.isBounded()) {
                unknown.remove("max");
            }
            if (at.isSearchable()) {
                unknown.removeAll(Set.of("search", "case_sensitive"));
            }
            if (at.kind() == Kind.EVENT) {
                unknown.remove("from");
            }
        }
        return unknown.stream()
                .limit(MOST_IGNORED)
                .map(Parameters::shown)
                .collect(Collectors.joining(", "));
    }

    /** The collection at a path; null if there is an entity, or nothing. */
    private @Nullable Resource<?, ?> collection(List<String> path) {
        Resource<?, ?> at = null;
        for (int i = 0; i < path.size(); i += 2) {
            String name = path.get(i).toLowerCase(Locale.ROOT);
            at = i == 0 ? tree.tops().get(name) : at == null ? null : at.subs().get(name);
        }
        return path.size() % 2 == 0 ? null : at;
    }

    /** Whether the change of a request has an audit event of its own. */
    public boolean tellsOfItself(Call call) {
        try {
            Request request = new Request(call, tree.limits());
            return !request.isRead()
                    && tree.writes().tellsOfItself(request.method(), request.segments());
        } catch (Refusal _) {
            return false; // nothing is changed
        }
    }

    private static Answer fault(Format format, Refusal refusal) {
        Answer answer = Answer.of(refusal.status(), format, "fault", refusal.fault());
        return refusal.status() == 405 ? answer.with("Allow", "POST") : answer;
    }

    /** The answer to a request that failed for a reason that stays in the log. */
    public static Answer failed(Call call) {
        return fault(
                Request.formatOf(call, null),
                new Refusal(
                        500,
                        "Operation Failed",
                        "The engine failed to answer; its log has the reason."));
    }

    // Changing

    private Answer write(Request request) {
        Answer answer = tree.writes().answer(request);
        if (answer != null) {
            return answer;
        }
        // Whether there is anything at all decides between 404 and 405.
        read(request);
        List<String> allowed = new ArrayList<>(List.of("GET", "HEAD"));
        allowed.addAll(tree.writes().methods(request.segments()));
        String methods = String.join(", ", allowed);
        return Answer.of(
                        405,
                        request.format(),
                        "fault",
                        new Fault(
                                "This path takes the methods %s, not %s."
                                        .formatted(methods, request.method()),
                                "Operation Failed"))
                .with("Allow", methods);
    }

    /**
     * An entity as a path shows it, for answers to requests that changed it.
     *
     * @param path segments after the base, for example {@code vms} and an identity
     * @throws Refusal if there is none
     */
    public Object entity(Request request, List<String> path) {
        Scope scope = new Scope(request, tree, keeper.kept().surroundings());
        return walk(scope, path, Follow.NOTHING).told();
    }

    /**
     * The definitions that have a disk, visible to the caller or not; looks through those of all
     * VMs.
     *
     * @param disk identity of the disk in the API
     */
    public List<DefinedDisk> disks(String disk) {
        List<DefinedDisk> found = new ArrayList<>();
        for (VmId id : tree.fleet().vms()) {
            VmSpecification specification = tree.fleet().specification(id);
            VmView vm = specification == null ? null : tree.fleet().vm(id);
            if (specification != null && vm != null) {
                specification.disks().stream()
                        .filter(each -> DefinedDisk.id(each).equals(disk))
                        .forEach(each -> found.add(new DefinedDisk(vm, each)));
            }
        }
        return found;
    }

    /**
     * The answer to a request that added or changed an entity.
     *
     * @param path segments after the base
     * @param nextRun whether a VM's parts appear as they are stored, even if it runs with others
     * @throws Refusal if there is none
     */
    public Answer shown(Request request, int status, List<String> path, boolean nextRun) {
        Scope scope = new Scope(request, tree, keeper.kept().surroundings(), nextRun);
        Found found = walk(scope, path, Follow.NOTHING);
        return Answer.of(status, request.format(), found.root(), found.told());
    }

    // Reading

    /**
     * Object found at a path.
     *
     * @param root its root element
     * @param told the entity, or the collection
     * @param live whether it changes with the numbers of a cycle
     */
    private record Found(String root, Object told, boolean live) {}

    private Answer read(Request request) {
        if (!request.caller().hasAnywhere(Role.READER)) {
            throw Refusal.forbidden("You have no role that lets you read.");
        }
        // Taken before anything is checked: a tag may be older than the answer, never newer.
        Fleet.Generation generation = tree.fleet().generation();
        UnmanagedObjectsKeeper.Kept kept = keeper.kept();
        Scope scope = new Scope(request, tree, kept.surroundings());
        if (request.segments().isEmpty()) {
            Api root = root(scope);
            String tag = tag(request, generation, kept, tree.fleet().now().toString());
            return new Answer(
                    200, Map.of("Link", header(root)), request.format(), "api", root, tag, true);
        }
        if (request.filterRefused()
                && request.segments().getFirst().equals(Kind.PERMISSION.path())) {
            throw Refusal.forbidden("Only administrators see the permissions of all.");
        }
        Answer ofAction = tree.writes().read(request);
        if (ofAction != null) {
            return ofAction;
        }
        // A search may speak of the time, which continues while nothing changes.
        boolean searched = !request.parameters().text("search").isBlank();
        String tag = tag(request, generation, kept, searched ? tree.fleet().now().toString() : "");
        if (request.knows(tag)) {
            return new Answer(304, Map.of(), request.format(), "", null, tag, false);
        }
        Follow follow = Follow.parse(request.parameters().text("follow"), tree.limits());
        detail(request, follow);
        Found found = walk(scope, request.segments(), follow);
        if (found.told() instanceof GraphicsConsole console && request.wantsViewer()) {
            VmView vm = scope.vm(request.segments().get(1));
            return Answer.of(
                    200,
                    request.format(),
                    found.root(),
                    Text.viewer(console, vm == null ? "" : vm.definition().name()));
        }
        return new Answer(
                200,
                Map.of(),
                request.format(),
                found.root(),
                found.told(),
                tag,
                found.live() || searched);
    }

    /** Adds the entities that the old parameter in-lines; unknown names are ignored. */
    private static void detail(Request request, Follow follow) {
        for (String part : request.details()) {
            switch (part) {
                case "statistics" -> addIfNested(request, follow, "statistics");
                case "nics" -> addIfNested(request, follow, "nics");
                case "current_graphics_consoles", "graphics_consoles" ->
                        addIfNested(request, follow, "graphics_consoles");
                default -> {
                    // of another resource, or of none
                }
            }
        }
    }

    /** moVirt asks every resource for the details of VMs. */
    private static void addIfNested(Request request, Follow follow, String name) {
        String kind = request.segments().isEmpty() ? "" : request.segments().getFirst();
        boolean known =
                switch (name) {
                    case "statistics" ->
                            (Set.of("vms", "hosts", "disks").contains(kind)
                                            && request.segments().size() <= 2)
                                    || (request.segments().size() > 2
                                            && request.segments().get(2).equals("nics"));
                    case "nics" ->
                            Set.of("vms", "hosts").contains(kind) && request.segments().size() <= 2;
                    default -> kind.equals("vms") && request.segments().size() <= 2;
                };
        if (known) {
            follow.add(name);
        }
    }

    private Found walk(Scope scope, List<String> path, Follow follow) {
        Resource<Root, ?> top = tree.tops().get(path.getFirst().toLowerCase(Locale.ROOT));
        if (top == null) {
            throw Refusal.nothingAt(String.join("/", path));
        }
        return walk(scope, top, Root.ROOT, scope.base(), path, 1, follow);
    }

    private <P, T> Found walk(
            Scope scope,
            Resource<P, T> resource,
            P parent,
            String parentHref,
            List<String> path,
            int next,
            Follow follow) {
        if (next == path.size()) {
            return collection(scope, resource, parent, parentHref, follow);
        }
        String id = path.get(next);
        T item = resource.find(scope, parent, id);
        if (item == null) {
            throw Refusal.unknown(id);
        }
        String href = parentHref + "/" + resource.kind().path() + "/" + resource.id(item);
        if (next + 1 == path.size()) {
            check(resource, follow);
            bound(weight(scope, resource, follow));
            return new Found(
                    resource.kind().item(),
                    scope.told(resource, new At<>(parent, parentHref, item, href, follow)),
                    isLive(resource, follow));
        }
        Resource<T, ?> sub = resource.subs().get(path.get(next + 1).toLowerCase(Locale.ROOT));
        if (sub == null) {
            if (next + 2 == path.size()
                    && tree.writes().actions(resource.kind()).contains(path.get(next + 1))) {
                throw Refusal.postOnly();
            }
            throw Refusal.nothingAt(String.join("/", path));
        }
        return walk(scope, sub, item, href, path, next + 2, follow);
    }

    private <P, T> Found collection(
            Scope scope, Resource<P, T> resource, P parent, String parentHref, Follow follow) {
        check(resource, follow);
        Parameters parameters = scope.request().parameters();
        List<T> all = resource.list(scope, parent);
        Long max = resource.isBounded() ? parameters.number("max") : null;
        int bound = max == null || max < 0 ? -1 : (int) Math.min(max, Integer.MAX_VALUE);
        String query = parameters.text("search");
        var fields = query.isBlank() ? null : resource.fields(scope);
        List<T> picked;
        if (fields != null) {
            boolean sensitive = Boolean.TRUE.equals(parameters.flag("case_sensitive"));
            picked = tree.search().apply(query, sensitive, bound, fields, all.stream());
        } else {
            picked = bound < 0 || bound >= all.size() ? all : all.subList(0, bound);
        }
        bound(picked.isEmpty() ? 0 : picked.size() * weight(scope, resource, follow));
        Set<String> details = scope.request().details();
        boolean sized = details.contains("size");
        if (!details.contains("main")) {
            picked = List.of();
        }
        return new Found(
                resource.kind().root(),
                scope.listing(
                        resource,
                        parent,
                        parentHref,
                        picked,
                        follow,
                        sized ? (Integer) all.size() : null),
                isLive(resource, follow));
    }

    private void bound(double told) {
        if (told > tree.limits().mostEntities()) {
            throw Refusal.invalid(
                    "The answer would have %.0f entities; the limit is %d. Ask for less with max, search or follow."
                            .formatted(told, tree.limits().mostEntities()));
        }
    }

    /**
     * Entities that an answer holds for one, itself among them, as far as that can be known before.
     */
    private double weight(Scope scope, Resource<?, ?> resource, Follow follow) {
        double weight = 1;
        for (Map.Entry<String, Follow> step : follow.steps().entrySet()) {
            Resource<?, ?> target = target(resource, step.getKey());
            if (target != null) {
                boolean part = target.kind() != resource.references().get(step.getKey());
                weight += (part ? target.most(scope) : 1) * weight(scope, target, step.getValue());
            }
        }
        return weight;
    }

    /**
     * A path that leads nowhere is refused before anything is written; below collections that are
     * always empty, all paths do so.
     */
    private void check(Resource<?, ?> resource, Follow follow) {
        if (resource instanceof EmptyResource) {
            return;
        }
        follow.steps()
                .forEach((name, next) -> {
                    Resource<?, ?> target = target(resource, name);
                    if (target == null) {
                        throw Refusal.invalid(
                                "\"%s\" of follow is neither a link nor a reference of %s; these are: %s."
                                        .formatted(
                                                name.length() > 50 ? name.substring(0, 50) : name,
                                                resource.kind().item(),
                                                names(resource)));
                    }
                    check(target, next);
                });
    }

    private @Nullable Resource<?, ?> target(Resource<?, ?> resource, String name) {
        for (Resource<?, ?> sub : resource.subs().values()) {
            if (sub.kind().path().equals(name) || Follow.plain(sub.kind().element()).equals(name)) {
                return sub;
            }
        }
        Kind reference = resource.references().get(name);
        return reference == null ? null : tree.of(reference);
    }

    private static String names(Resource<?, ?> resource) {
        List<String> names = new ArrayList<>();
        resource.subs().values().forEach(sub -> names.add(sub.kind().element()));
        names.addAll(resource.references().keySet());
        return names.isEmpty() ? "none" : String.join(", ", names);
    }

    private boolean isLive(Resource<?, ?> resource, Follow follow) {
        if (resource.isLive()) {
            return true;
        }
        for (Map.Entry<String, Follow> step : follow.steps().entrySet()) {
            Resource<?, ?> target = target(resource, step.getKey());
            if (target != null && isLive(target, step.getValue())) {
                return true;
            }
        }
        return false;
    }

    // Entity tags

    /** Everything that decides the answer, as one number. */
    private static String tag(
            Request request,
            Fleet.Generation generation,
            UnmanagedObjectsKeeper.Kept kept,
            String more) {
        StringBuilder text = new StringBuilder(256);
        text.append(generation)
                .append(kept.number())
                .append(more)
                .append(request.base())
                .append(request.segments())
                .append(request.format())
                .append(request.filtered())
                .append(request.allContent())
                .append(request.detail())
                .append(request.caller().name())
                .append(request.caller().grants().hashCode());
        for (String name :
                List.of(
                        "follow",
                        "search",
                        "max",
                        "from",
                        "case_sensitive",
                        "current",
                        "next_run")) {
            text.append('\n').append(request.parameter(name));
        }
        return Tags.of(text.toString());
    }

    // The root

    private Api root(Scope scope) {
        String base = scope.base();
        List<Link> links = new ArrayList<>();
        tree.tops()
                .values()
                .forEach(top -> {
                    String path = top.kind().path();
                    if (WITHOUT_LINK.contains(top.kind())) {
                        return;
                    }
                    links.add(new Link(base + "/" + path, path));
                    if (top.kind() == Kind.EVENT) {
                        links.add(
                                new Link(
                                        base + "/events;from={event_id}?search={query}",
                                        "events/search"));
                    } else if (top.fields(scope) != null) {
                        links.add(
                                new Link(base + "/" + path + "?search={query}", path + "/search"));
                    }
                });
        var user = scope.reference(Kind.USER, Users.id(scope.request().caller().name()));
        return new Api(
                links,
                new Api.ProductInfo(
                        data.instanceId(),
                        data.productName(),
                        data.vendor(),
                        new Version(
                                data.build(), data.fullVersion(), data.major(), data.minor(), 0)),
                new Api.SpecialObjects(
                        scope.reference(Kind.TEMPLATE, Uuids.ZERO),
                        scope.reference(Kind.TAG, Uuids.ZERO)),
                scope.filtered() ? null : summary(scope),
                tree.fleet().now(),
                user,
                user);
    }

    private Api.Summary summary(Scope scope) {
        int vms = 0;
        int running = 0;
        for (var vm : scope.vms()) {
            vms++;
            running += vm.state().runtime().status().isRunning() ? 1 : 0;
        }
        var hosts = tree.fleet().hosts();
        int up =
                (int) hosts.stream().filter(host -> host.state().status() == HostStatus.UP).count();
        var storages = scope.surroundings().storages();
        int valid = (int) storages.stream().filter(UnmanagedObjects.Storage::valid).count();
        return new Api.Summary(
                new Api.Count(up, hosts.size()),
                new Api.Count(valid, storages.size()),
                new Api.Count(1, 1),
                new Api.Count(running, vms));
    }

    private static String header(Api root) {
        StringBuilder header = new StringBuilder();
        for (Link link : root.link()) {
            if (!link.rel().contains("/")) {
                header.append(header.isEmpty() ? "" : ",")
                        .append('<')
                        .append(link.href())
                        .append(">; rel=")
                        .append(link.rel());
            }
        }
        return header.toString();
    }
}
