package org.stillwater.server.api.vm;

import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.stillwater.command.operation.ConsolePassword;
import org.stillwater.command.operation.OperationRequest;
import org.stillwater.core.audit.AuditEvent;
import org.stillwater.core.definition.VmConsole;
import org.stillwater.core.id.VmId;
import org.stillwater.core.operation.Operation;
import org.stillwater.core.operation.OperationKind;
import org.stillwater.core.operation.OperationParameters;
import org.stillwater.core.vm.RuntimeField;
import org.stillwater.core.vm.VmRuntime;
import org.stillwater.monitoring.vm.VmView;
import org.stillwater.server.api.operation.Commands;
import org.stillwater.server.api.operation.OperationJsonModule;
import org.stillwater.server.api.operation.VmAction;
import org.stillwater.server.api.web.ApiException;
import org.stillwater.server.api.web.Correlation;
import org.stillwater.server.api.web.EnumNames;
import org.stillwater.server.api.web.JsonObjectReader;
import org.stillwater.server.security.AuditedAs;
import org.stillwater.server.settings.IfCommandsAreEnabled;
import tools.jackson.databind.JsonNode;

/** Actions on a VM: {@code /api/v1/vms/{id}/…}. */
@IfCommandsAreEnabled
@RestController
@RequestMapping("/api/v1/vms/{id}")
class VmActionController {

    private static final int LONGEST_USER = 255;
    private static final int MOST_SECONDS = 86_400;
    private static final int USUAL_SECONDS = 120;

    private static final Map<String, VmConsole.Protocol> PROTOCOLS =
            EnumNames.of(VmConsole.Protocol.values());

    private final Commands commands;

    VmActionController(Commands commands) {
        this.commands = commands;
    }

    /**
     * An operation that lets a console be opened.
     *
     * @param operation the operation
     * @param password the password of the console; shown only once
     * @param seconds for how long, from the end of the operation on
     */
    record Ticket(OperationJsonModule.OperationView operation, String password, int seconds) {

        @Override
        public String toString() {
            return "Ticket[" + operation + "]";
        }
    }

    @AuditedAs({
        AuditEvent.VM_OPERATION_ASKED,
        AuditEvent.VM_OPERATION_DONE,
        AuditEvent.VM_OPERATION_FAILED
    })
    @PostMapping(
            "/{action:start|shutdown|stop|reboot|reset|pause|resume|suspend|migrate|cancel-migration}")
    ResponseEntity<OperationJsonModule.OperationView> act(
            @PathVariable String id,
            @PathVariable String action,
            @RequestAttribute(Correlation.ATTRIBUTE) String correlation,
            @RequestBody(required = false) @Nullable JsonNode body) {
        VmId vm = commands.known(id).id();
        VmAction wanted = VmAction.of(action);
        return commands.submit(
                vm, wanted.kind(), wanted.read(members(body), commands), correlation);
    }

    private static JsonObjectReader members(@Nullable JsonNode body) {
        return body == null ? JsonObjectReader.empty() : JsonObjectReader.of(body);
    }

    @AuditedAs({AuditEvent.VM_OPERATION_DONE, AuditEvent.VM_OPERATION_FAILED})
    @PostMapping("/console-ticket")
    ResponseEntity<Ticket> ticket(
            @PathVariable String id,
            @RequestAttribute(Correlation.ATTRIBUTE) String correlation,
            @RequestBody(required = false) @Nullable JsonNode body) {
        VmView vm = commands.known(id);
        JsonObjectReader members = members(body);
        String given = members.text("password");
        String user = members.text("user", "", LONGEST_USER);
        UUID userId = members.uuid("userId");
        int seconds = members.number("seconds", USUAL_SECONDS, 1, MOST_SECONDS);
        VmConsole.Protocol protocol =
                members.<VmConsole.@Nullable Protocol>word("protocol", PROTOCOLS, null);
        members.end();
        String password = given == null ? ConsolePassword.made() : given;
        if (!ConsolePassword.isFine(password)) {
            throw ApiException.badRequest("password " + ConsolePassword.RULE);
        }
        if (protocol != null && lacks(vm.state().runtime(), protocol)) {
            throw ApiException.conflict(
                            "protocol: the VM runs without a %s console.".formatted(protocol))
                    .about("protocol");
        }
        OperationRequest wanted =
                new OperationRequest(
                        vm.id(),
                        OperationKind.CONSOLE_TICKET,
                        new OperationParameters.Console(user, userId, seconds, protocol),
                        password);
        Operation operation =
                commands.await(
                        commands.engine()
                                .submit(List.of(wanted), Commands.origin(correlation))
                                .getFirst());
        return ResponseEntity.accepted()
                .location(Commands.location(operation))
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .body(new Ticket(commands.view(operation), password, seconds));
    }

    /** Whether the VM's host reports consoles, and none of this protocol. */
    static boolean lacks(VmRuntime runtime, VmConsole.Protocol protocol) {
        boolean vnc =
                isOpen(runtime, RuntimeField.VNC_PORT)
                        || isOpen(runtime, RuntimeField.VNC_TLS_PORT);
        boolean spice =
                isOpen(runtime, RuntimeField.SPICE_PORT)
                        || isOpen(runtime, RuntimeField.SPICE_TLS_PORT);
        return switch (protocol) {
            case VNC -> spice && !vnc;
            case SPICE -> vnc && !spice;
        };
    }

    private static boolean isOpen(VmRuntime runtime, RuntimeField port) {
        return runtime.value(port) instanceof Integer number && number >= 0;
    }
}
