"""``reduce(transcript, packet) -> (transcript, events)``: pure, no clock, no I/O."""

from __future__ import annotations

from typing import assert_never

from acp_jupyter.packets.change_notes import FileWritten, TurnChangesNote, TurnReverted
from acp_jupyter.packets.elicitation import (
    ElicitationComplete,
    ElicitationRequest,
    ElicitationResponse,
)
from acp_jupyter.packets.elicitation_notes import ElicitationSettled, TurnEdited, TurnMoved
from acp_jupyter.packets.file_notes import ArtifactsMade, FilesChanged
from acp_jupyter.packets.login_notes import LoginDone, LoginNeeded, LoginStarted
from acp_jupyter.packets.made_models import ArtifactCreated, FileWrite
from acp_jupyter.packets.models import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    ErrorPacket,
    PermissionRequest,
    PermissionResponse,
    PlanRemoved,
    PromptResponse,
    TimedPacket,
    ToolCallProgress,
    ToolCallStart,
    Unknown,
    UserMessageChunk,
)
from acp_jupyter.packets.notes import (
    AgentExited,
    AgentStarting,
    HostNotice,
    ImportedPacket,
    NoiseNote,
    PermissionSettledNote,
    PolicyChanged,
    SessionOpened,
    StartFailed,
    TitleChanged,
    TurnFailed,
    TurnQueued,
    TurnRemoved,
    TurnStartedNote,
    TurnStopped,
)
from acp_jupyter.packets.permission_notes import RulesChanged, TrustAsked, TrustSettled
from acp_jupyter.packets.reader import LogPacket
from acp_jupyter.packets.session_models import (
    AgentInfoPacket,
    AvailableCommandsUpdate,
    CancelSent,
    ConfigOptionUpdate,
    CurrentModelUpdate,
    CurrentModeUpdate,
    MessageEnd,
    MessageStart,
    NoticePacket,
    SessionInfoUpdate,
    SessionSetup,
    StepEnd,
    StepStart,
    UsageUpdate,
)
from acp_jupyter.packets.session_notes import (
    AgentSilent,
    FolderLook,
    MessageHeld,
    ReplayEnded,
    ReplayStarted,
    SessionAttached,
)
from acp_jupyter.packets.terminal_notes import (
    TerminalExited,
    TerminalOutput,
    TerminalReleased,
    TerminalStarted,
)
from acp_jupyter.transcript import (
    asked,
    changes,
    elicitation,
    login,
    made,
    messages,
    permissions,
    plans,
    policy,
    queue,
    setup,
    terminals,
    trust,
    turns,
)
from acp_jupyter.transcript.draft import Draft
from acp_jupyter.transcript.events import Event
from acp_jupyter.transcript.notices import notice, unknown
from acp_jupyter.transcript.state import Transcript
from acp_jupyter.transcript.turn_ends import renew_done_turn

__all__ = ["reduce"]


def reduce(transcript: Transcript, packet: LogPacket, at: float) -> tuple[Transcript, list[Event]]:
    """Take one packet into a transcript.

    Parameters
    ----------
    transcript
        The state before.
    packet
        What was said.
    at
        When the line was written, seconds since the epoch.

    Returns
    -------
    tuple of Transcript and list of Event
        The state after, and how a view gets there.
    """
    # C14: a packet's own time wins over that of its receipt.
    own = packet.timestamp if isinstance(packet, TimedPacket) else None
    draft = Draft(transcript, at if own is None else own)
    if transcript.session.silent_since is not None:
        draft.change_session(silent_since=None)
    before = len(draft.items)
    _apply(draft, packet)
    renew_done_turn(draft, before)
    return draft.done()


def _apply(draft: Draft, packet: LogPacket) -> None:  # noqa: C901, PLR0915 - one flat match
    match packet:
        case AgentMessageChunk() | AgentThoughtChunk():
            messages.agent_chunk(draft, packet)
        case UserMessageChunk():
            messages.user_chunk(draft, packet)
        case ToolCallStart() | ToolCallProgress():
            asked.take(draft, packet)
        case PermissionRequest():
            permissions.request(draft, packet)
        case PermissionResponse():
            permissions.respond(draft, packet)
        case PermissionSettledNote():
            permissions.note_settled(draft, packet)
        case ElicitationRequest():
            elicitation.request(draft, packet)
        case ElicitationResponse():
            elicitation.respond(draft, packet)
        case ElicitationComplete():
            elicitation.complete(draft, packet)
        case ElicitationSettled():
            elicitation.note_settled(draft, packet)
        case RulesChanged():
            draft.change_session(rules=packet.rules)
        case TrustAsked():
            trust.asked(draft, packet)
        case TrustSettled():
            trust.settled(draft, packet)
        case AgentPlanUpdate():
            plans.update(draft, packet)
        case PlanRemoved():
            plans.update(draft, AgentPlanUpdate(plan_id=packet.plan_id))
        case StepStart():
            messages.step_start(draft, packet)
        case StepEnd():
            messages.step_end(draft, packet)
        case MessageStart() | MessageEnd():
            draft.close_open_item()
        case ArtifactCreated():
            made.artifact(draft, packet)
        case TurnChangesNote():
            changes.changed(draft, packet)
        case TurnReverted():
            changes.reverted(draft, packet)
        case FileWritten():
            changes.written(draft, packet)
        case ArtifactsMade():
            made.artifacts_made(draft, packet)
        case FileWrite():
            made.file_write(draft, packet)
        case NoticePacket():
            notice(draft, packet)
        case AgentInfoPacket():
            setup.agent_info(draft, packet)
        case SessionSetup():
            setup.session_setup(draft, packet)
        case AvailableCommandsUpdate():
            setup.commands(draft, packet)
        case ConfigOptionUpdate():
            setup.config(draft, packet)
        case CurrentModeUpdate():
            setup.mode(draft, packet)
        case CurrentModelUpdate():
            setup.chosen_model(draft, packet)
        case SessionAttached():
            setup.attached(draft, packet)
        case AgentSilent() | FolderLook() | MessageHeld():
            setup.waiting(draft, packet)
        case UsageUpdate():
            setup.usage(draft, packet)
        case SessionInfoUpdate():
            setup.info(draft, packet)
        case TitleChanged():
            draft.change_session(title=packet.title)
        case PolicyChanged():
            policy.changed(draft, packet)
        case TurnQueued():
            turns.queued(draft, packet)
        case TurnStartedNote():
            turns.started(draft, packet)
        case TurnEdited():
            queue.edited(draft, packet)
        case TurnMoved():
            queue.moved(draft, packet)
        case TurnRemoved():
            turns.removed(draft, packet)
        case CancelSent():
            draft.stopping = draft.session.active_turn_id
        case PromptResponse():
            turns.responded(draft, packet)
        case TurnFailed() | ErrorPacket():
            turns.failed(draft, packet)
        case AgentStarting():
            draft.change_session(status="starting")
        case AgentExited():
            turns.exited(draft, packet)
        case TurnStopped():
            turns.stopped(draft, packet)
        case StartFailed():
            turns.start_failed(draft, packet)
        case LoginNeeded():
            login.needed(draft, packet)
        case LoginStarted():
            login.started(draft, packet)
        case LoginDone():
            login.done(draft, packet)
        case TerminalStarted() | TerminalOutput() | TerminalExited() | TerminalReleased():
            terminals.note(draft, packet)
        case HostNotice():
            notice(draft, NoticePacket(severity=packet.severity, text=packet.text))
        case ReplayStarted() | ReplayEnded() | SessionOpened() | FilesChanged():
            pass
        case Unknown():
            unknown(draft, packet)
        case ImportedPacket() | NoiseNote():
            pass
        case _:
            assert_never(packet)
