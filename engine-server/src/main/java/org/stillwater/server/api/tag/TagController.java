package org.stillwater.server.api.tag;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.core.access.Caller;
import org.stillwater.core.access.Role;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.core.text.SafeText;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.monitoring.host.HostView;
import org.stillwater.monitoring.tag.TagRegistry;
import org.stillwater.monitoring.tag.TagSet;
import org.stillwater.monitoring.vm.VmReading;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.security.Callers;
import org.stillwater.server.settings.OvirtActionSettings;

/**
 * Tags: {@code /api/v1/tags}, and {@code /api/v1/vms/{id}/tags/{tag}} as of hosts. Users of an
 * object give it tags that exist; a tag that does not exist is added for administrators of
 * everything, as in oVirt's interface.
 */
@RestController
@RequestMapping("/api/v1")
class TagController {

    /** Characters that separate names in a filter, stand for others there, or end it in a path. */
    private static final String RESERVED = ",*?/\\\"";

    private static final int LONGEST_NAME = 255;

    private final FleetReader fleet;
    private final TagRegistry registry;
    private final Callers access;
    private final int most;

    TagController(FleetReader fleet, Callers access, OvirtActionSettings settings) {
        this.fleet = fleet;
        this.registry = fleet.tags();
        this.access = access;
        this.most = settings.mostTags();
    }

    /**
     * A tag.
     *
     * @param vms VMs with it that the caller may read
     * @param hosts hosts with it that the caller may read
     * @param source the XAPI pool that keeps it, where it is changed; null for a tag of users
     */
    record TagView(
            UUID id,
            String name,
            String description,
            int vms,
            int hosts,
            @Nullable String source) {}

    /** Tags by name. */
    record Tags(List<TagView> items, int total) {}

    /** The tags of a VM or host. */
    record ObjectTags(UUID id, List<String> tags) {}

    /** Objects with a tag. */
    private static final class Counts {
        private int vms;
        private int hosts;
    }

    /** All tags for readers of everything, else those of objects that the caller may read. */
    @GetMapping("/tags")
    Tags all() {
        Caller caller = access.current();
        Map<UUID, Counts> counts = new HashMap<>();
        registry.vms()
                .forEach((id, set) -> {
                    VmReading vm = fleet.reading(id);
                    if (vm != null && caller.has(Role.READER, id, vm.definition().cluster())) {
                        set.tags().forEach(tag -> counts(counts, tag).vms++);
                    }
                });
        registry.hosts()
                .forEach((id, set) -> {
                    HostView host = fleet.host(id);
                    if (host != null
                            && caller.has(Role.READER, host.state().definition().cluster())) {
                        set.tags().forEach(tag -> counts(counts, tag).hosts++);
                    }
                });
        List<TagView> items = new ArrayList<>();
        for (Tag tag : registry.tags()) {
            if (caller.has(Role.READER) || counts.containsKey(tag.id())) {
                Counts of = counts(counts, tag);
                items.add(
                        new TagView(
                                tag.id(),
                                tag.name(),
                                tag.description(),
                                of.vms,
                                of.hosts,
                                registry.source(tag.id())));
            }
        }
        return new Tags(items, items.size());
    }

    private static Counts counts(Map<UUID, Counts> counts, Tag tag) {
        return counts.computeIfAbsent(tag.id(), _ -> new Counts());
    }

    @PutMapping("/vms/{id}/tags/{tag}")
    ObjectTags attachToVm(@PathVariable String id, @PathVariable String tag) {
        VmId vm = vm(id);
        Tag wanted = knownOrAdded(tag);
        if (!changed(() -> registry.attach(wanted.id(), vm))) {
            throw ApiException.notFound(
                    "There is no VM %s or no tag %s any more.".formatted(vm, tag(wanted.name())));
        }
        return tagsOf(vm.toUuid(), registry.set(vm));
    }

    @DeleteMapping("/vms/{id}/tags/{tag}")
    ObjectTags detachFromVm(@PathVariable String id, @PathVariable String tag) {
        VmId vm = vm(id);
        Tag known = ofUsers(find(tag));
        if (known == null || !changed(() -> registry.detach(known.id(), vm))) {
            throw ApiException.notFound("VM %s has no tag %s.".formatted(vm, tag(tag)));
        }
        return tagsOf(vm.toUuid(), registry.set(vm));
    }

    @PutMapping("/hosts/{id}/tags/{tag}")
    ObjectTags attachToHost(@PathVariable String id, @PathVariable String tag) {
        HostId host = host(id);
        Tag wanted = knownOrAdded(tag);
        if (!changed(() -> registry.attach(wanted.id(), host))) {
            throw ApiException.notFound(
                    "There is no host %s or no tag %s any more."
                            .formatted(host, tag(wanted.name())));
        }
        return tagsOf(host.value(), registry.set(host));
    }

    @DeleteMapping("/hosts/{id}/tags/{tag}")
    ObjectTags detachFromHost(@PathVariable String id, @PathVariable String tag) {
        HostId host = host(id);
        Tag known = ofUsers(find(tag));
        if (known == null || !changed(() -> registry.detach(known.id(), host))) {
            throw ApiException.notFound("Host %s has no tag %s.".formatted(host, tag(tag)));
        }
        return tagsOf(host.value(), registry.set(host));
    }

    private static ObjectTags tagsOf(UUID id, TagSet set) {
        return new ObjectTags(id, set.names());
    }

    private VmId vm(String id) {
        VmId vm = Ids.vm(id);
        if (fleet.reading(vm) == null) {
            throw ApiException.notFound("There is no VM " + vm + ".");
        }
        return vm;
    }

    private HostId host(String id) {
        HostId host = Ids.host(id);
        if (fleet.host(host) == null) {
            throw ApiException.notFound("There is no host " + host + ".");
        }
        return host;
    }

    /** A change of the registry; false if an object that it needs does not exist. */
    @FunctionalInterface
    private interface Change {
        boolean make() throws StoreUnavailable;
    }

    private static boolean changed(Change change) {
        try {
            return change.make();
        } catch (StoreUnavailable e) {
            throw unavailable(e);
        }
    }

    private static ApiException unavailable(StoreUnavailable e) {
        return ApiException.unavailable(
                "The tags were not changed, because the database does not answer: "
                        + e.getMessage());
    }

    private static String tag(String name) {
        return Ids.shortened(name);
    }

    /** A tag by id, by name, or by name in another case; null if there is none. */
    private @Nullable Tag find(String text) {
        if (Ids.isId(text)) {
            return registry.tag(Ids.uuid(text));
        }
        Tag exact = registry.named(text);
        return exact != null
                ? exact
                : registry.tags().stream()
                        .filter(tag -> tag.name().equalsIgnoreCase(text))
                        .findFirst()
                        .orElse(null);
    }

    /** The tag, if users may give and take it. */
    private @Nullable Tag ofUsers(@Nullable Tag tag) {
        String source = tag == null ? null : registry.source(tag.id());
        if (tag != null && source != null) {
            throw ApiException.conflict(
                    "The tag %s is kept by the XAPI pool %s: change it there."
                            .formatted(tag(tag.name()), source));
        }
        return tag;
    }

    private Tag knownOrAdded(String text) {
        Tag known = ofUsers(find(text));
        if (known != null) {
            return known;
        }
        if (Ids.isId(text)) {
            throw ApiException.notFound("There is no tag " + tag(text) + ".");
        }
        if (!access.current().has(Role.ADMINISTRATOR)) {
            throw ApiException.notFound(
                    "There is no tag %s; an administrator of everything adds it by its first use."
                            .formatted(tag(text)));
        }
        return added(text);
    }

    private Tag added(String name) {
        requireName(name);
        if (registry.own() >= most) {
            throw ApiException.conflict(
                    "There are as many tags as stillwater.ovirt.actions.most-tags allows: %d."
                            .formatted(most));
        }
        Tag tag = new Tag(UUID.randomUUID(), name, "", null);
        try {
            return switch (registry.save(tag)) {
                case SAVED -> tag;
                case TAKEN -> {
                    Tag other = registry.named(name);
                    if (other == null) {
                        throw ApiException.conflict(
                                "Another engine has just added the tag " + tag(name) + ".");
                    }
                    yield other;
                }
                case UNKNOWN ->
                        throw new IllegalStateException("a tag without parent has an unknown one");
            };
        } catch (StoreUnavailable e) {
            throw unavailable(e);
        }
    }

    private static void requireName(String name) {
        boolean reserved = name.chars().anyMatch(c -> RESERVED.indexOf(c) >= 0);
        if (name.isBlank()
                || !name.equals(name.strip())
                || name.length() > LONGEST_NAME
                || reserved
                || !SafeText.isSafe(name)) {
            throw ApiException.badRequest(
                    "The name of a tag has 1 to %d characters, none of them %s or invisible, and no space at its ends."
                            .formatted(
                                    LONGEST_NAME,
                                    String.join(" ", RESERVED.split("", -1)).strip()));
        }
        if (name.equalsIgnoreCase(TagRegistry.ROOT)) {
            throw ApiException.badRequest(
                    "\"%s\" is the name of the tag above all others.".formatted(TagRegistry.ROOT));
        }
    }
}
