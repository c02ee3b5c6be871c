package org.stillwater.ovirt.resource;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.access.Grant;
import org.stillwater.core.access.Role;
import org.stillwater.core.id.ClusterId;
import org.stillwater.core.id.VmId;
import org.stillwater.ovirt.model.Domain;
import org.stillwater.ovirt.model.Group;
import org.stillwater.ovirt.model.Permission;
import org.stillwater.ovirt.model.Permit;
import org.stillwater.ovirt.query.Fields;
import org.stillwater.ovirt.resource.Resource.At;
import org.stillwater.ovirt.resource.Resource.Root;

/**
 * Users, groups, domains, roles and permissions: the caller, and the roles and grants of the engine
 * (chapter 3.13).
 */
final class AccountResources {

    private AccountResources() {}

    /** A role as clients know it, with the permits that they read. */
    record KnownRole(
            String id,
            String name,
            String description,
            boolean administrative,
            List<String> permits) {}

    private static final List<String> READING = List.of("login");
    private static final List<String> OPERATING =
            List.of(
                    "login",
                    "vm_basic_operations",
                    "run_vm",
                    "shut_down_vm",
                    "stop_vm",
                    "reboot_vm",
                    "reset_vm",
                    "hibernate_vm",
                    "connect_to_vm",
                    "migrate_vm");
    private static final List<String> EVERYTHING =
            List.of(
                    "login",
                    "create_vm",
                    "delete_vm",
                    "edit_vm_properties",
                    "vm_basic_operations",
                    "run_vm",
                    "shut_down_vm",
                    "stop_vm",
                    "reboot_vm",
                    "reset_vm",
                    "hibernate_vm",
                    "connect_to_vm",
                    "change_vm_cd",
                    "migrate_vm",
                    "vm_pool_basic_operations",
                    "create_vm_pool",
                    "delete_vm_pool",
                    "edit_vm_pool_configuration",
                    "manipulate_host",
                    "create_host",
                    "delete_host",
                    "edit_host_configuration",
                    "create_cluster",
                    "delete_cluster",
                    "edit_cluster_configuration",
                    "inject_external_events",
                    "audit_log_management");

    static final KnownRole SUPER_USER =
            new KnownRole(
                    "00000000-0000-0000-0000-000000000001",
                    "SuperUser",
                    "Everything",
                    true,
                    EVERYTHING);
    static final KnownRole USER_ROLE =
            new KnownRole(
                    "00000000-0000-0000-0001-000000000001",
                    "UserRole",
                    "Acts on VMs and reads",
                    false,
                    OPERATING);
    static final KnownRole READ_ONLY =
            new KnownRole(
                    "def00023-0000-0000-0000-def000000023",
                    "ReadOnlyAdmin",
                    "Reads",
                    true,
                    READING);

    static final List<KnownRole> ROLES = List.of(SUPER_USER, USER_ROLE, READ_ONLY);

    private static KnownRole of(Role role) {
        return switch (role) {
            case ADMINISTRATOR -> SUPER_USER;
            case OPERATOR -> USER_ROLE;
            case READER, SCRAPER, BENCHMARKER -> READ_ONLY;
        };
    }

    /** Roles. */
    static final class Roles extends Resource<Root, KnownRole> {
        Roles() {
            super(Kind.ROLE);
        }

        @Override
        List<KnownRole> list(Scope scope, Root parent) {
            return ROLES;
        }

        @Override
        String id(KnownRole item) {
            return item.id();
        }

        @Override
        Object tell(Scope scope, At<Root, KnownRole> at) {
            KnownRole role = at.item();
            return new org.stillwater.ovirt.model.Role(
                    role.id(),
                    at.href(),
                    role.name(),
                    role.description(),
                    scope.links(this, at),
                    role.administrative(),
                    false,
                    scope.inlined(this, at));
        }
    }

    static Resource<KnownRole, String> permits() {
        return new SmallResource<>(
                Kind.PERMIT,
                (_, role) -> role.permits(),
                permit -> Integer.toString(EVERYTHING.indexOf(permit) + 1),
                (scope, at) ->
                        new Permit(
                                Integer.toString(EVERYTHING.indexOf(at.item()) + 1),
                                at.href(),
                                at.item(),
                                at.parent().administrative(),
                                scope.reference(Kind.ROLE, at.parent().id())));
    }

    /** A grant of the caller. */
    record Held(String user, Grant grant) {
        String id() {
            return Uuids.of("permission", user, grant.toString());
        }
    }

    /** The grants of the caller that a condition picks. */
    static <P> Resource<P, Held> permissions(
            java.util.function.BiPredicate<P, org.stillwater.core.access.Scope> picked) {
        return new SmallResource<P, Held>(
                Kind.PERMISSION,
                (scope, parent) ->
                        scope.request().caller().grants().stream()
                                .filter(grant -> picked.test(parent, grant.scope()))
                                .map(grant -> new Held(scope.request().caller().name(), grant))
                                .sorted(java.util.Comparator.comparing(Held::id))
                                .toList(),
                Held::id,
                AccountResources::permission);
    }

    private static <P> Permission permission(Scope scope, At<P, Held> at) {
        Held held = at.item();
        ClusterId cluster =
                held.grant().scope() instanceof org.stillwater.core.access.Scope.OfCluster of
                        ? of.cluster()
                        : null;
        VmId vm =
                held.grant().scope() instanceof org.stillwater.core.access.Scope.OfVm of
                        ? of.vm()
                        : null;
        return new Permission(
                held.id(),
                at.href(),
                cluster == null ? null : scope.reference(Kind.CLUSTER, cluster.toString()),
                null,
                scope.reference(Kind.ROLE, of(held.grant().role()).id()),
                scope.reference(Kind.USER, Users.id(held.user())),
                vm == null ? null : scope.reference(Kind.VM, vm.toString()));
    }

    /** Users: the caller. */
    static final class UserList extends Resource<Root, String> {
        UserList() {
            super(Kind.USER);
        }

        @Override
        List<String> list(Scope scope, Root parent) {
            return Users.list(scope);
        }

        @Override
        @Nullable String find(Scope scope, Root parent, String id) {
            return Users.find(scope, id);
        }

        @Override
        String id(String item) {
            return Users.id(item);
        }

        @Override
        boolean isSearchable() {
            return true;
        }

        @Override
        Fields<String> fields(Scope scope) {
            return FleetFields.users();
        }

        @Override
        Object tell(Scope scope, At<Root, String> at) {
            return Users.tell(scope, this, at);
        }
    }

    /** Groups: everyone. */
    static final class Groups extends Resource<Root, String> {
        private static final String EVERYONE = "eee00000-0000-0000-0000-123456789eee";

        Groups() {
            super(Kind.GROUP);
        }

        @Override
        List<String> list(Scope scope, Root parent) {
            return List.of("Everyone");
        }

        @Override
        String id(String item) {
            return EVERYONE;
        }

        @Override
        boolean isSearchable() {
            return true;
        }

        @Override
        Fields<String> fields(Scope scope) {
            return FleetFields.named();
        }

        @Override
        Object tell(Scope scope, At<Root, String> at) {
            return new Group(
                    EVERYONE,
                    at.href(),
                    at.item(),
                    scope.links(this, at),
                    Users.domain(scope),
                    Uuids.hex(at.item()),
                    "*",
                    scope.inlined(this, at));
        }
    }

    /** Domains: the directory of the engine's own users. */
    static final class Domains extends Resource<Root, String> {
        Domains() {
            super(Kind.DOMAIN);
        }

        @Override
        List<String> list(Scope scope, Root parent) {
            return List.of(Users.DOMAIN);
        }

        @Override
        String id(String item) {
            return Uuids.hex(item);
        }

        @Override
        Object tell(Scope scope, At<Root, String> at) {
            return new Domain(
                    id(at.item()),
                    at.href(),
                    at.item(),
                    scope.links(this, at),
                    scope.inlined(this, at));
        }
    }
}
