package org.stillwater.server.api.operation;

import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.EnumNames;
import org.stillwater.server.api.web.Ids;
import org.stillwater.server.api.web.JsonObjectReader;

/** Action on a VM: its name in a path, and the members of its body. */
public enum VmAction {
    START("start", OperationKind.RUN),
    SHUTDOWN("shutdown", OperationKind.SHUTDOWN),
    STOP("stop", OperationKind.POWER_OFF),
    REBOOT("reboot", OperationKind.REBOOT),
    RESET("reset", OperationKind.RESET),
    PAUSE("pause", OperationKind.PAUSE),
    RESUME("resume", OperationKind.RESUME),
    SUSPEND("suspend", OperationKind.SUSPEND),
    MIGRATE("migrate", OperationKind.MIGRATE),
    CANCEL_MIGRATION("cancel-migration", OperationKind.CANCEL_MIGRATION),
    /** In batches only; one VM is removed by {@code DELETE}. */
    REMOVE("remove", OperationKind.REMOVE_VM),
    /** In batches only: protects VMs from being removed. */
    PROTECT("protect", OperationKind.UPDATE_VM),
    /** In batches only: takes the protection back. */
    UNPROTECT("unprotect", OperationKind.UPDATE_VM),
    /** In batches only: the same members for all VMs; see {@link DefinitionChange}. */
    EDIT("edit", OperationKind.UPDATE_VM);

    /** Every action by its name. */
    static final Map<String, VmAction> BY_NAME = EnumNames.of(values(), VmAction::path);

    private static final int LONGEST_MESSAGE = 1_000;
    private static final int LONGEST_DELAY_SECONDS = 86_400;

    private final String path;
    private final OperationKind kind;

    VmAction(String path, OperationKind kind) {
        this.path = path;
        this.kind = kind;
    }

    /** The action of this name. */
    public static VmAction of(String name) {
        VmAction action = BY_NAME.get(name);
        if (action == null) {
            throw ApiException.badRequest(
                    "action \"%s\" is not one of %s"
                            .formatted(
                                    Ids.shortened(name),
                                    Arrays.stream(values())
                                            .map(VmAction::path)
                                            .collect(Collectors.joining(", "))));
        }
        return action;
    }

    String path() {
        return path;
    }

    public OperationKind kind() {
        return kind;
    }

    /** Reads how it is to be done; members that are not known are refused. */
    public OperationParameters read(JsonObjectReader body, Commands commands) {
        OperationParameters parameters =
                switch (this) {
                    case START -> run(body, commands);
                    case SHUTDOWN -> shutdown(body);
                    case REBOOT -> new OperationParameters.Reboot(body.flag("cold", false));
                    case MIGRATE -> migrate(body, commands);
                    case STOP, RESET, PAUSE, RESUME, SUSPEND, CANCEL_MIGRATION, REMOVE ->
                            OperationParameters.NONE;
                    case PROTECT, UNPROTECT, EDIT ->
                            throw ApiException.badRequest(
                                    "action %s is for batches".formatted(path));
                };
        body.end();
        return parameters;
    }

    private static OperationParameters run(JsonObjectReader body, Commands commands) {
        return new OperationParameters.Run(
                commands.host(body), body.flag("paused", false), OperationParameters.Cause.REQUEST);
    }

    private static OperationParameters shutdown(JsonObjectReader body) {
        return new OperationParameters.Shutdown(
                body.text("message", "", LONGEST_MESSAGE),
                body.number("delaySeconds", 0, 0, LONGEST_DELAY_SECONDS));
    }

    private static OperationParameters migrate(JsonObjectReader body, Commands commands) {
        return new OperationParameters.Migrate(
                commands.host(body), body.text("reason", "", LONGEST_MESSAGE));
    }
}
