package org.stillwater.core.command;

import org.stillwater.core.operation.OperationFailure.Code;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.vm.VmRun;

/** Sets the password of a VM's console for some time. */
final class ConsoleTicketOperation extends AnsweredOperation {

    ConsoleTicketOperation(Input input) {
        super(input, VmVerb.SET_TICKET);
    }

    @Override
    void done() {
        OperationParameters.Console console =
                (OperationParameters.Console) operation().parameters();
        VmRun run = vm.placement().run().withConsoleUser(console.user(), console.userId());
        change(vm.runtime(), vm.placement().withRun(run), vm.commands());
        succeed("the ticket is set");
    }

    @Override
    void resume() {
        fail(Code.INTERRUPTED, "the engine was restarted, and keeps no passwords; ask again");
    }
}
