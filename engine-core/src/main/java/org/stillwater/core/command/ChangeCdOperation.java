package org.stillwater.core.command;

import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.vm.RuntimeField;

/** Changes or ejects the CD in the drive of a VM that runs. */
final class ChangeCdOperation extends AnsweredOperation {

    ChangeCdOperation(Input input) {
        super(input, VmVerb.CHANGE_CD);
    }

    /** Shows the CD from now on: hosts report it with another change only. */
    @Override
    void done() {
        String image =
                operation().parameters() instanceof OperationParameters.Cd cd ? cd.image() : null;
        change(
                vm.runtime().with(RuntimeField.CURRENT_CD, image == null ? "" : image),
                vm.placement(),
                vm.commands());
        succeed(image == null ? "the CD is ejected" : "the CD is changed");
    }
}
