package org.stillwater.ovirt.action;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Role;
import org.stillwater.core.cluster.Tag;
import org.stillwater.core.id.HostId;
import org.stillwater.core.id.VmId;
import org.stillwater.core.store.ClusterStore.Saved;
import org.stillwater.core.store.StoreUnavailable;
import org.stillwater.monitoring.tag.TagRegistry;

/**
 * Tags, and which VMs and hosts have them: {@code /tags}, {@code /vms/{id}/tags}, {@code
 * /hosts/{id}/tags}. Tags themselves are changed by administrators of everything.
 */
final class TagChanges {

    /** The elements of a tag. */
    static final BodyRules RULES =
            BodyRules.of("tag", "tag", "edit Tag")
                    .kept(List.of("name", "description", "parent/id", "parent/name"))
                    .unsupported(
                            "comment", "the engine keeps no comment on a tag; it has a description")
                    .ignored("id", "the path names it")
                    .ignored(List.of("vm", "host"), "VMs and hosts have tags at their own paths")
                    .ignored(List.of("group", "user", "template"), "not tagged by the engine")
                    .table();

    private static final String ADD = "add Tag";
    private static final String EDIT = "edit Tag";
    private static final String ASSIGN = "assign Tag";

    /** Identity of the tag above all others. */
    private static final UUID ROOT = new UUID(0, 0);

    private static final int LONGEST_NAME = 255;
    private static final int LONGEST_DESCRIPTION = 4_000;

    private final Access access;
    private final TagRegistry book;
    private final int most;

    /**
     * Changes of tags.
     *
     * @param most tags that there may be
     */
    TagChanges(Access access, TagRegistry book, int most) {
        this.access = access;
        this.book = book;
        this.most = most;
    }

    synchronized Outcome add(Change change) {
        requireAdministrator(change);
        Body body = RULES.read(change.body(), ADD);
        String name = body.name("a tag", null);
        if (name == null) {
            throw Refused.incomplete("Tag [name] is required for add.");
        }
        if (book.own() >= most) {
            throw Refused.conflict("Cannot add Tag: there are at most %d.".formatted(most));
        }
        UUID parent = parent(body, null);
        String description = body.text("description");
        Tag tag = new Tag(UUID.randomUUID(), name, description == null ? "" : description, parent);
        save(tag, ADD);
        return shown(201, tag.id());
    }

    synchronized Outcome update(Change change) {
        requireAdministrator(change);
        Tag before = known(change.at(1), EDIT);
        Body body = RULES.read(change, EDIT);
        String name = body.name("a tag", before.name());
        String description = body.text("description");
        UUID parent = parent(body, before.parent());
        if (parent != null && book.isWithin(parent, before.id())) {
            throw Refused.conflict(
                    "Cannot edit Tag. A tag cannot be a parent of itself, nor one below it.");
        }
        save(
                new Tag(
                        before.id(),
                        name == null ? before.name() : name,
                        description == null ? before.description() : description,
                        parent),
                EDIT);
        return shown(200, before.id());
    }

    synchronized Outcome remove(Change change) {
        requireAdministrator(change);
        Tag tag = known(change.at(1), "remove Tag");
        try {
            if (!book.remove(tag.id())) {
                throw Refused.notFound("Tag", change.at(1));
            }
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        }
        return Operations.removed(change, null);
    }

    Outcome assignToVm(Change change) {
        VmId vm = access.vm(change, change.at(1)).id();
        return assign(change, "vms/" + vm, tag -> book.attach(tag, vm));
    }

    Outcome assignToHost(Change change) {
        HostId host = host(change);
        return assign(change, "hosts/" + host, tag -> book.attach(tag, host));
    }

    Outcome takeFromVm(Change change) {
        VmId vm = access.vm(change, change.at(1)).id();
        return take(change, tag -> book.detach(tag, vm));
    }

    Outcome takeFromHost(Change change) {
        HostId host = host(change);
        return take(change, tag -> book.detach(tag, host));
    }

    private HostId host(Change change) {
        return access.host(change, change.at(1)).state().definition().id();
    }

    /** Change of an entity's tag; false if the entity or the tag does not exist. */
    private interface Step {
        boolean of(UUID tag) throws StoreUnavailable;
    }

    private Outcome assign(Change change, String owner, Step step) {
        Body body = RULES.read(change.body(), ASSIGN);
        String id = body.text("id");
        String name = body.text("name");
        if (id == null && name == null) {
            throw Refused.incomplete("Tag [id|name] is required for add.");
        }
        Tag tag = id == null ? book.named(name + "") : tag(id);
        requireOfUsers(tag, ASSIGN);
        if (tag == null || !done(tag.id(), step)) {
            throw Refused.notFound("Tag", id == null ? name + "" : id);
        }
        return Outcome.showing(201, owner + "/tags/" + tag.id());
    }

    private Outcome take(Change change, Step step) {
        Tag tag = tag(change.at(3));
        requireOfUsers(tag, "unassign Tag");
        if (tag == null || !done(tag.id(), step)) {
            throw Refused.notFound("Tag", change.at(3));
        }
        return Operations.removed(change, null);
    }

    private static boolean done(UUID tag, Step step) {
        try {
            return step.of(tag);
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        }
    }

    private static void requireAdministrator(Change change) {
        if (!change.caller().has(Role.ADMINISTRATOR)) {
            throw Refused.forbidden();
        }
    }

    private static Outcome shown(int status, UUID id) {
        return Outcome.showing(status, "tags/" + id);
    }

    private @Nullable Tag tag(String id) {
        UUID uuid = Access.uuid(id);
        return uuid == null ? null : book.tag(uuid);
    }

    private Tag known(String id, String verb) {
        if (ROOT.equals(Access.uuid(id))) {
            throw Refused.conflict("Cannot %s: the root stays as it is.".formatted(verb));
        }
        Tag tag = tag(id);
        if (tag == null) {
            throw Refused.notFound("Tag", id);
        }
        requireOfUsers(tag, verb);
        return tag;
    }

    /** Tags of XAPI's pools are changed in their pools. */
    private void requireOfUsers(@Nullable Tag tag, String verb) {
        String source = tag == null ? null : book.source(tag.id());
        if (tag != null && source != null) {
            throw Refused.conflict(
                    "Cannot %s. The tag %s is kept by the XAPI pool %s."
                            .formatted(verb, tag.name(), source));
        }
    }

    /** The tag above, as a body names it; null for the root. */
    private @Nullable UUID parent(Body body, @Nullable UUID before) {
        String id = body.text("parent", "id");
        String name = body.text("parent", "name");
        if (id == null && name == null) {
            return before;
        }
        if (id == null ? TagRegistry.ROOT.equals(name) : ROOT.equals(Access.uuid(id))) {
            return null;
        }
        Tag parent = id == null ? book.named(name + "") : tag(id);
        if (parent == null) {
            throw Refused.notFound("Tag", id == null ? name + "" : id);
        }
        requireOfUsers(parent, EDIT);
        return parent.id();
    }

    private void save(Tag tag, String verb) {
        if (tag.name().isBlank() || tag.name().length() > LONGEST_NAME) {
            throw Refused.invalid("name has 1 to %d characters".formatted(LONGEST_NAME));
        }
        if (tag.description().length() > LONGEST_DESCRIPTION) {
            throw Refused.invalid(
                    "description has at most %d characters".formatted(LONGEST_DESCRIPTION));
        }
        try {
            switch (tag.name().equals(TagRegistry.ROOT) ? Saved.TAKEN : book.save(tag)) {
                case SAVED -> {}
                case TAKEN ->
                        throw Refused.conflict(
                                "Cannot %s. The tag name %s is already in use."
                                        .formatted(verb, tag.name()));
                case UNKNOWN -> throw Refused.notFound("Tag", tag.parent() + "");
            }
        } catch (StoreUnavailable e) {
            throw VmActions.unavailable(e);
        }
    }
}
