"""``reduce(transcript, packet) -> (transcript, events)``: pure, no clock, no I/O."""

from __future__ import annotations

from typing import assert_never

from acp_jupyter.protocol.elicitation import (
    ElicitationComplete,
    ElicitationRequest,
    ElicitationResponse,
)
from acp_jupyter.protocol.files import ArtifactCreated, FileWrite
from acp_jupyter.protocol.host_events.notes import (
    AgentExited,
    AgentStarting,
    HostNotice,
    ImportedPacket,
    LimitChanged,
    NetworkChanged,
    NoiseNote,
    NotebookMoved,
    PermissionPlaces,
    PermissionSettledNote,
    PolicyChanged,
    SandboxChanged,
    SessionArchived,
    SessionOpened,
    StartFailed,
    TitleChanged,
    TurnEdited,
    TurnFailed,
    TurnMoved,
    TurnQueued,
    TurnRemoved,
    TurnStartedNote,
    TurnSteered,
    TurnStopped,
    TurnTimeUp,
    WallsStarted,
)
from acp_jupyter.protocol.host_events.session import (
    AgentSilentNote,
    AgentWroteToDisk,
    ArtifactsFound,
    ElicitationSettled,
    FileSaved,
    FilesChanged,
    FileWritten,
    FolderScanNote,
    LoginDone,
    LoginNeeded,
    LoginStarted,
    MessageHeld,
    RanOutside,
    ReplayEnded,
    ReplayStarted,
    RulesChanged,
    SessionAttached,
    SessionBranched,
    SessionContinued,
    TerminalExited,
    TerminalOutput,
    TerminalReleased,
    TerminalStarted,
    TrustRequested,
    TrustSettled,
    TurnChangesNote,
    TurnChangesUnknown,
    TurnReverted,
    WallMet,
)
from acp_jupyter.protocol.packets import (
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
from acp_jupyter.protocol.session_packets import (
    AgentInfoPacket,
    AuthStatusUpdate,
    AvailableCommandsUpdate,
    CallCancel,
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
from acp_jupyter.protocol.traffic_reader import LogPacket
from acp_jupyter.transcript.model.events import Event
from acp_jupyter.transcript.model.state import Transcript
from acp_jupyter.transcript.reduce import (
    changes,
    evidence,
    messages,
    open_work,
    permissions,
    questions,
    session_facts,
    terminals,
    tool_calls,
    turns,
    use,
)
from acp_jupyter.transcript.reduce.draft import Draft


def reduce(transcript: Transcript, packet: LogPacket, at: float) -> tuple[Transcript, list[Event]]:
    """Apply one packet to a transcript."""
    # A packet's own timestamp takes precedence over the log's.
    own = packet.timestamp if isinstance(packet, TimedPacket) else None
    draft = Draft(transcript, at if own is None else own)
    if transcript.session.silent_since is not None:
        draft.change_session(silent_since=None)
    before = len(draft.items)
    _apply(draft, packet)
    turns.renew_done_turn(draft, before)
    return draft.done()


def _apply(draft: Draft, packet: LogPacket) -> None:  # noqa: C901, PLR0915 - one flat match
    match packet:
        case AgentMessageChunk() | AgentThoughtChunk():
            messages.agent_chunk(draft, packet)
        case UserMessageChunk():
            messages.user_chunk(draft, packet)
        case ToolCallStart() | ToolCallProgress():
            tool_calls.update_tool_call(draft, packet)
        case PermissionRequest():
            permissions.add_request(draft, packet)
        case PermissionResponse():
            permissions.settle_request(draft, packet)
        case PermissionPlaces():
            permissions.add_places(draft, packet)
        case PermissionSettledNote():
            permissions.note_settled(draft, packet)
        case ElicitationRequest():
            questions.add_elicitation(draft, packet)
        case ElicitationResponse():
            questions.answer_elicitation(draft, packet)
        case ElicitationComplete():
            questions.complete_elicitation(draft, packet)
        case ElicitationSettled():
            questions.note_elicitation_settled(draft, packet)
        case RulesChanged():
            draft.change_session(rules=packet.rules)
        case TrustRequested():
            questions.request_trust(draft, packet)
        case TrustSettled():
            questions.settle_trust(draft, packet)
        case AgentPlanUpdate():
            messages.update_plan(draft, packet)
        case PlanRemoved():
            messages.update_plan(draft, AgentPlanUpdate(plan_id=packet.plan_id))
        case StepStart():
            messages.step_start(draft, packet)
        case StepEnd():
            messages.step_end(draft, packet)
        case MessageStart() | MessageEnd():
            draft.close_open_item()
        case ArtifactCreated():
            changes.add_artifact(draft, packet)
        case TurnChangesNote():
            changes.take_changes(draft, packet)
        case TurnChangesUnknown():
            changes.take_unknown(draft, packet)
        case TurnReverted():
            changes.take_revert(draft, packet)
        case FileWritten():
            evidence.take_written(draft, packet)
            changes.take_written_file(draft, packet)
        case FileSaved() | AgentWroteToDisk():
            evidence.take_evidence(draft, packet)
        case ArtifactsFound():
            changes.artifacts_found(draft, packet)
        case FileWrite():
            changes.add_file_write(draft, packet)
        case NoticePacket():
            messages.add_notice(draft, packet)
        case AgentInfoPacket():
            session_facts.agent_info(draft, packet)
        case AuthStatusUpdate():
            session_facts.auth_status(draft, packet)
        case SessionSetup():
            session_facts.session_setup(draft, packet)
        case AvailableCommandsUpdate():
            session_facts.commands(draft, packet)
        case ConfigOptionUpdate():
            session_facts.config_options(draft, packet)
        case CurrentModeUpdate():
            session_facts.current_mode(draft, packet)
        case CurrentModelUpdate():
            session_facts.current_model(draft, packet)
        case SessionAttached():
            session_facts.attached(draft, packet)
        case SessionBranched():
            draft.change_session(branch=packet.branch, reverted=packet.reverted)
        case SessionContinued():
            draft.change_session(continues_in=packet.session_id)
        case AgentSilentNote() | FolderScanNote() | MessageHeld():
            session_facts.waiting_reason(draft, packet)
        case UsageUpdate():
            use.usage(draft, packet)
        case SessionInfoUpdate():
            session_facts.session_info(draft, packet)
            if packet.background is not None:
                open_work.take_background(draft, packet.background)
        case TitleChanged():
            draft.change_session(title=packet.title, named=bool(packet.title))
        case SessionArchived():
            draft.change_session(archived=packet.archived)
        case NotebookMoved():
            session_facts.notebook_moved(draft, packet)
        case PolicyChanged():
            session_facts.policy_changed(draft, packet)
        case SandboxChanged():
            session_facts.sandbox_changed(draft, packet)
        case LimitChanged():
            session_facts.limit_changed(draft, packet)
        case NetworkChanged():
            draft.change_session(network=packet.network)
        case WallsStarted():
            session_facts.walls_started(draft, packet)
        case WallMet() | RanOutside():
            tool_calls.take_wall(draft, packet)
        case TurnQueued():
            turns.queued(draft, packet)
        case TurnStartedNote():
            turns.started(draft, packet)
        case TurnEdited():
            turns.edit_queued(draft, packet)
        case TurnMoved():
            turns.move_first(draft, packet)
        case TurnRemoved() | TurnSteered():
            turns.removed(draft, packet)
        case CancelSent():
            draft.stopping = draft.session.active_turn_id
        case CallCancel():
            open_work.take_cancel(draft, packet)
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
        case TurnTimeUp():
            draft.time_up, draft.limit_words = packet.turn_id, packet.limit
        case StartFailed():
            turns.start_failed(draft, packet)
        case LoginNeeded():
            session_facts.login_needed(draft, packet)
        case LoginStarted():
            session_facts.login_started(draft, packet)
        case LoginDone():
            session_facts.login_done(draft, packet)
        case TerminalStarted() | TerminalOutput() | TerminalExited() | TerminalReleased():
            if isinstance(packet, TerminalStarted | TerminalExited):
                evidence.take_terminal(draft, packet)
            terminals.take_note(draft, packet)
        case HostNotice():
            messages.add_host_notice(draft, packet)
        case ReplayStarted() | ReplayEnded() | SessionOpened() | FilesChanged():
            pass
        case Unknown():
            messages.add_unknown_update(draft, packet)
        case ImportedPacket() | NoiseNote():
            pass
        case _:
            assert_never(packet)
