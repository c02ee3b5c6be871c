package org.stillwater.command.operation;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.store.DefinitionStore.Definition;

/** Followers of definitions: they have a definition before a client can see its operation's end. */
class RecordedDefinitionsTest {

    private final HostLab hosts = new HostLab(1);
    private final CommandLab lab = hosts.lab.settled();
    private final List<String> received = new ArrayList<>();

    private UUID defined(OperationKind kind, String text) {
        UUID id = lab.accepted(1, kind, new OperationParameters.Definition(text));
        lab.seconds(1);
        return id;
    }

    @Test
    void aFollowerHasADefinitionBeforeItsOperationEnds() {
        lab.commands
                .definitions()
                .follow((vm, definition) ->
                        received.add(
                                "%s has priority %d, %d operation open"
                                        .formatted(
                                                lab.vm(1).definition().name(),
                                                definition.priority(),
                                                lab.commands
                                                        .operations(each ->
                                                                vm.equals(each.vm())
                                                                        && !each.isEnded())
                                                        .size())));
        lab.commands.follow(operation -> {
            if (operation.isEnded()) {
                received.add(operation.kind().label() + " has ended");
            }
        });
        UUID _ = defined(OperationKind.ADD_VM, "7 3");
        UUID _ = defined(OperationKind.UPDATE_VM, "8 5");
        UUID _ = lab.accepted(1, OperationKind.REMOVE_VM);
        lab.seconds(1);
        assertThat(received)
                .containsExactly(
                        "vm7 has priority 3, 1 operation open",
                        "add_vm has ended",
                        "vm8 has priority 5, 1 operation open",
                        "update_vm has ended",
                        "remove_vm has ended");
    }

    @Test
    void aFollowerThatIsRemovedReceivesNoMore() {
        BiConsumer<VmId, Definition> follower =
                (_, definition) -> received.add("priority " + definition.priority());
        lab.commands.definitions().follow(follower);
        UUID _ = defined(OperationKind.ADD_VM, "7 3");
        lab.commands.definitions().unfollow(follower);
        UUID _ = defined(OperationKind.UPDATE_VM, "7 5");
        assertThat(received).containsExactly("priority 3");
    }
}
