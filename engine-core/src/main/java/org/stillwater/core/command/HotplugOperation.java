package org.stillwater.core.command;

/** Plugs a device into a VM that runs, or unplugs it. */
final class HotplugOperation extends AnsweredOperation {

    HotplugOperation(Input input, VmVerb verb) {
        super(input, verb);
    }

    @Override
    void done() {
        succeed(verb == VmVerb.PLUG ? "the device is plugged" : "the device is unplugged");
    }
}
