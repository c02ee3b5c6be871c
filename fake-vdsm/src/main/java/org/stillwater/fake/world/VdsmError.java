package org.stillwater.fake.world;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The errors of VDSM that a simulated host answers with, code and text as VDSM has them ({@code
 * vdsm/common/exception.py}, {@code vdsm/storage/exception.py}; protocol page §2.4).
 */
enum VdsmError {
    NO_SUCH_VM(1, "Virtual machine does not exist"),
    VM_EXISTS(4, "Virtual machine already exists"),
    MISSING_PARAMETER(11, "Missing required parameter"),
    MIGRATION_FAILED(12, "Fatal error during migration"),
    NO_SUCH_CD(13, "Drive image file could not be found"),
    OUT_OF_MEMORY(14, "Not enough free memory to create VM"),
    UNEXPECTED(16, "Unexpected exception"),
    CHANGE_DISK_FAILED(41, "Failed to change disk image"),
    NOT_IMPLEMENTED(44, "Not implemented"),
    HOTPLUG_DISK_FAILED(45, "Failed to hotplug disk"),
    HOTUNPLUG_DISK_FAILED(46, "Failed to hotunplug disk"),
    MIGRATION_CANCEL_FAILED(47, "Migration not in progress"),
    HOTPLUG_NIC_FAILED(49, "Failed to hotplug NIC"),
    HOTUNPLUG_NIC_FAILED(50, "Failed to hotunplug NIC"),
    MIGRATION_IN_PROGRESS(51, "Command not supported during migration"),
    MOM_POLICY_FAILED(54, "Failed to set mom policy"),
    UPDATE_DEVICE_FAILED(56, "Failed to update device"),
    MIGRATION_LIMIT(82, "Incoming migration limit exceeded"),
    EXTERNAL_DATA_FAILED(89, "Failed to handle external VM data"),
    RECOVERING(99, "Recovering from crash or Initializing"),
    GENERAL(100, "General Exception"),
    VOLUME_DOES_NOT_EXIST(201, "Volume does not exist"),
    INCORRECT_FORMAT(202, "Incorrect Volume format"),
    VOLUME_EXISTS(212, "Volume already exists"),
    INCORRECT_TYPE(231, "Incorrect Volume Preallocate Type"),
    IMAGE_NOT_IN_DOMAIN(268, "Image does not exist in domain"),
    UNKNOWN_POOL(309, "Unknown pool id, pool not connected"),
    UNKNOWN_DOMAIN(358, "Storage domain does not exist"),
    NO_SPACE(397, "No space left on domain"),
    UNKNOWN_TASK(401, "Task id unknown"),
    TASK_NOT_FINISHED(403, "Task not finished"),
    ADD_TASK(405, "TaskManager error, unable to add task"),
    TASK_STATE(410, "Operation is not allowed in this task state"),
    TASK_ABORTED(411, "Task is aborted"),
    NOT_SPM(654, "Not SPM"),
    NO_SUCH_LEASE(936, "No such lease"),
    INVALID_PARAMETER(1000, "Invalid parameter");

    private final int code;
    private final String text;

    VdsmError(int code, String text) {
        this.code = code;
        this.text = text;
    }

    /** Its number on the wire. */
    int code() {
        return code;
    }

    /** Its text without a context. */
    String text() {
        return text;
    }

    /** The error as it is. */
    VerbError error() {
        return new VerbError(code, text);
    }

    /** The error with another text: VDSM replaces the usual one by libvirt's message. */
    VerbError saying(String message) {
        return new VerbError(code, message);
    }

    /** The error with its context, names and values in turn, as Python writes a dictionary. */
    VerbError about(String... namesAndValues) {
        return new VerbError(code, text + ": " + PythonText.dictionary(members(namesAndValues)));
    }

    /** The error with one value, as Python writes a tuple. */
    VerbError of(String value) {
        return new VerbError(code, textOf(value));
    }

    /** The text of {@link #of}. */
    String textOf(String value) {
        return "%s: (%s,)".formatted(text, PythonText.string(value));
    }

    private static Map<String, String> members(String... namesAndValues) {
        Map<String, String> members = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            members.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return members;
    }
}
